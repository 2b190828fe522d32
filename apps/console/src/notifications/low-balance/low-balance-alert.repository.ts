import { type Executor, type Transaction } from '@inference/database';
import { Wallet } from '@inference/wallet';

/** The account's threshold, or else that of the site. */
const THRESHOLD = 'coalesce(low_balance_threshold_picos, $1::numeric)';
/** Skips locked wallets: they are in use, or another replica handles them. The next run finds them again. */
const CLAIM_LOW = `
  WITH low AS MATERIALIZED (
    SELECT account_id FROM wallet.wallets WHERE low_balance_notice_due AND balance_picos < ${THRESHOLD}
    LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE wallet.wallets w SET low_balance_notice_due = false
  FROM low WHERE w.account_id = low.account_id
  RETURNING w.account_id AS "accountId", w.currency,
    (SELECT b.balance_picos FROM wallet.balances b WHERE b.account_id = w.account_id) AS "balancePicos",
    coalesce(w.low_balance_threshold_picos, $1::numeric) AS "thresholdPicos"`;
const ENABLE_SUFFICIENT = `
  WITH sufficient AS MATERIALIZED (
    SELECT account_id FROM wallet.wallets WHERE NOT low_balance_notice_due AND balance_picos >= ${THRESHOLD}
    LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE wallet.wallets w SET low_balance_notice_due = true
  FROM sufficient WHERE w.account_id = sufficient.account_id`;

/** A wallet whose balance is below its threshold. */
type LowWallet = Pick<Wallet, 'accountId' | 'currency' | 'balancePicos'> & { thresholdPicos: bigint };

/*
 * In all functions `siteThresholdPicos` applies to wallets without a threshold of their own.
 */

/**
 * Enables the next low-balance mail if the balance has reached the threshold. Part of a transaction that credits the
 * wallet. The job does the same periodically, but would miss a wallet whose balance rises and falls between two runs.
 */
export async function enableLowBalanceAlert(
  executor: Executor,
  accountId: string,
  siteThresholdPicos: bigint,
): Promise<void> {
  await executor
    .repository(Wallet)
    .createQueryBuilder()
    .update({ lowBalanceNoticeDue: true })
    .where({ accountId, lowBalanceNoticeDue: false })
    .andWhere(
      'balance_picos >= coalesce(low_balance_threshold_picos, CAST(:siteThresholdPicos AS numeric))',
      {
        siteThresholdPicos,
      },
    )
    .execute();
}

/**
 * Gives the wallet a threshold of its own; 0 turns the mail off. A balance that is below it already is no reason for a
 * mail.
 */
export async function setLowBalanceThreshold(
  executor: Executor,
  accountId: string,
  thresholdPicos: bigint,
): Promise<void> {
  await executor
    .repository(Wallet)
    .createQueryBuilder()
    .update({
      lowBalanceThresholdPicos: thresholdPicos,
      lowBalanceNoticeDue: () => 'balance_picos >= CAST(:thresholdPicos AS numeric)',
    })
    .where({ accountId })
    .setParameters({ thresholdPicos })
    .execute();
}

/** Returns up to `limit` wallets below their threshold whose alert is enabled, and disables it. */
export async function claimLowWallets(
  transaction: Transaction,
  siteThresholdPicos: bigint,
  limit: number,
): Promise<LowWallet[]> {
  return (await transaction.query<LowWallet>(CLAIM_LOW, [siteThresholdPicos, limit])).rows;
}

/** Enables the alert of up to `limit` wallets that have reached their threshold again, and returns their number. */
export async function enableSufficientWallets(
  executor: Executor,
  siteThresholdPicos: bigint,
  limit: number,
): Promise<number> {
  return (await executor.query(ENABLE_SUFFICIENT, [siteThresholdPicos, limit])).rowCount!;
}
