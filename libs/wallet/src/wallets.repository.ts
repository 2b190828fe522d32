import { type Currency } from '@inference/config';
import { type Executor, type Transaction } from '@inference/database';
import { KeyBudget, Wallet } from './wallet.entity';

const READ_WALLETS = `
  SELECT account_id AS "accountId", currency, balance_picos AS "balancePicos", leased_picos AS "leasedPicos",
    low_balance_notice_due AS "lowBalanceNoticeDue", low_balance_threshold_picos AS "lowBalanceThresholdPicos",
    deduction_waits_until AS "deductionWaitsUntil"
  FROM wallet.balances WHERE account_id = ANY ($1)`;
const READ_KEY_SPENDING = `
  SELECT api_key_id AS "apiKeyId", spent_picos AS "spentPicos", counted_picos AS "countedPicos",
    period_ends_at AS "periodEndsAt"
  FROM wallet.key_spending WHERE api_key_id = ANY ($1)`;
/** What a key has spent in the period that runs counts, by whole hours: the sums of a key are kept by the hour. */
const CHANGE_LIMIT = `
  WITH period AS (
    SELECT $2 AS api_key_id, wallet.period_start($4, clock_timestamp(), $5) AS starts_on
  )
  UPDATE wallet.key_budgets b SET limit_picos = $3, limit_changed_at = now(), period = $4, time_zone = $5,
    period_starts_on = p.starts_on,
    period_spent_picos = CASE
      WHEN b.period = $4 AND b.time_zone = $5 AND b.period_starts_on = p.starts_on THEN b.period_spent_picos
      WHEN p.starts_on IS NULL THEN 0
      ELSE coalesce((
        SELECT sum(cost_picos) FROM metering.hourly_rollup
        WHERE account_id = $1 AND api_key_id = $2 AND hour >= date_trunc('hour', p.starts_on::timestamp AT TIME ZONE $5)
      ), 0)
    END
  FROM period p WHERE b.api_key_id = p.api_key_id AND b.account_id = $1`;
const BUDGETS_OF_PERIODS = `
  SELECT api_key_id AS "apiKeyId", limit_picos AS "limitPicos", period FROM wallet.key_budgets
  WHERE account_id = $1 AND period <> 'total'`;
const FOLD_ACCOUNT = 'SELECT metering.fold_account($1)';
const RECALL_LEASES = 'SELECT wallet.recall_leases($1, $2)';

/** Creates the empty wallet of an account, in the transaction that creates the account. */
export async function openWallet(
  transaction: Transaction,
  accountId: string,
  currency: Currency,
): Promise<void> {
  await transaction.repository(Wallet).insert({ accountId, currency });
}

/** Returns the wallet of an account with all its usage debited, or null if the account does not exist. */
export async function readWallet(executor: Executor, accountId: string): Promise<Wallet | null> {
  const [wallet] = await readWallets(executor, [accountId]);
  return wallet ?? null;
}

/** Returns the wallets of the accounts that have one with all their usage debited, in no order. */
export async function readWallets(executor: Executor, accountIds: string[]): Promise<Wallet[]> {
  return (await executor.query<Wallet>(READ_WALLETS, [accountIds])).rows;
}

/** Locks the wallet until the transaction ends. Returns null if the account does not exist. */
export function lockWallet(transaction: Transaction, accountId: string): Promise<Wallet | null> {
  return transaction
    .repository(Wallet)
    .findOne({ where: { accountId }, lock: { mode: 'pessimistic_write' } });
}

/**
 * Adds an amount, which is negative for a deduction, to the balance. Returns false, and changes nothing, if the money that is
 * not in leases does not cover it.
 */
export async function addToBalance(
  transaction: Transaction,
  accountId: string,
  amountPicos: bigint,
): Promise<boolean> {
  const { affected } = await transaction
    .repository(Wallet)
    .createQueryBuilder()
    .update({ balancePicos: () => 'balance_picos + CAST(:amountPicos AS numeric)' })
    .where({ accountId })
    .andWhere('balance_picos + CAST(:amountPicos AS numeric) >= leased_picos', { amountPicos })
    .execute();
  return affected === 1;
}

/** Starts to count what an API key spends, in the transaction that creates the key. */
export async function openKeyBudget(
  transaction: Transaction,
  budget: Pick<KeyBudget, 'apiKeyId' | 'accountId' | 'limitPicos' | 'period' | 'timeZone'>,
): Promise<void> {
  await transaction.repository(KeyBudget).insert(budget);
}

/**
 * Changes what a key may spend, in all or in each period. Lock its wallet first, so that no lease is drawn meanwhile: money that gateways drew by the
 * former limit can still be spent until they return it (see recallLeases).
 */
export async function changeKeyLimit(
  transaction: Transaction,
  accountId: string,
  apiKeyId: string,
  { limitPicos, period, timeZone }: Pick<KeyBudget, 'limitPicos' | 'period' | 'timeZone'>,
): Promise<void> {
  // What the key has spent without a limit is not set aside from the new one.
  await transaction.query(FOLD_ACCOUNT, [accountId]);
  await transaction.query(CHANGE_LIMIT, [accountId, apiKeyId, limitPicos, period, timeZone]);
}

/** Lets the periods of an account's keys begin with the days of another time zone. */
export async function changeBudgetZone(
  transaction: Transaction,
  accountId: string,
  timeZone: string,
): Promise<void> {
  await transaction.query(FOLD_ACCOUNT, [accountId]);
  const { rows } = await transaction.query<Pick<KeyBudget, 'apiKeyId' | 'limitPicos' | 'period'>>(
    BUDGETS_OF_PERIODS,
    [accountId],
  );
  for (const { apiKeyId, limitPicos, period } of rows)
    await transaction.query(CHANGE_LIMIT, [accountId, apiKeyId, limitPicos, period, timeZone]);
}

/** What a key has spent, in picos. */
export interface KeySpending {
  /** In all. */
  spentPicos: bigint;
  /** What its limit counts: of the period that runs, or in all. */
  countedPicos: bigint;
  /** When the count begins anew; null for a limit in all. */
  periodEndsAt: Date | null;
}

/** What each of the keys has spent, by its id. */
export async function readKeySpending(
  executor: Executor,
  apiKeyIds: string[],
): Promise<Map<string, KeySpending>> {
  const { rows } = await executor.query<KeySpending & { apiKeyId: string }>(READ_KEY_SPENDING, [apiKeyIds]);
  return new Map(rows.map(({ apiKeyId, ...spending }) => [apiKeyId, spending]));
}

/** Asks the gateways to return the money of an account that no request holds, if it was not asked for within `seconds`. */
export async function recallLeases(executor: Executor, accountId: string, seconds: number): Promise<void> {
  await executor.query(RECALL_LEASES, [accountId, seconds]);
}
