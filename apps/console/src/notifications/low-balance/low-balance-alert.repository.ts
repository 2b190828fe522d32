import { type Executor, type Transaction } from '@inference/database';
import { Wallet } from '@inference/wallet';
import { MoreThanOrEqual } from 'typeorm';

/** Skips locked wallets: they are in use, or another replica handles them. The next run finds them again. */
const CLAIM_LOW = `
  WITH low AS MATERIALIZED (
    SELECT account_id FROM wallet.wallets WHERE low_balance_notice_due AND balance_picos < $1::numeric
    LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE wallet.wallets w SET low_balance_notice_due = false
  FROM low WHERE w.account_id = low.account_id
  RETURNING w.account_id AS "accountId", w.currency, w.balance_picos AS "balancePicos"`;
const ENABLE_SUFFICIENT = `
  WITH sufficient AS MATERIALIZED (
    SELECT account_id FROM wallet.wallets WHERE NOT low_balance_notice_due AND balance_picos >= $1::numeric
    LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED)
  UPDATE wallet.wallets w SET low_balance_notice_due = true
  FROM sufficient WHERE w.account_id = sufficient.account_id`;

/** A wallet whose balance is below the threshold. */
type LowWallet = Pick<Wallet, 'accountId' | 'currency' | 'balancePicos'>;

/**
 * Enables the next low-balance mail if the balance has reached the threshold. Part of a transaction that credits the
 * wallet. The job does the same periodically, but would miss a wallet whose balance rises and falls between two runs.
 */
export async function enableLowBalanceAlert(
  executor: Executor,
  accountId: string,
  thresholdPicos: bigint,
): Promise<void> {
  await executor
    .repository(Wallet)
    .update(
      { accountId, lowBalanceNoticeDue: false, balancePicos: MoreThanOrEqual(thresholdPicos) },
      { lowBalanceNoticeDue: true },
    );
}

/** Returns up to `limit` wallets below the threshold whose alert is enabled, and disables it. */
export async function claimLowWallets(
  transaction: Transaction,
  thresholdPicos: bigint,
  limit: number,
): Promise<LowWallet[]> {
  return (await transaction.query<LowWallet>(CLAIM_LOW, [thresholdPicos, limit])).rows;
}

/** Enables the alert of up to `limit` wallets that have reached the threshold again, and returns their number. */
export async function enableSufficientWallets(
  executor: Executor,
  thresholdPicos: bigint,
  limit: number,
): Promise<number> {
  return (await executor.query(ENABLE_SUFFICIENT, [thresholdPicos, limit])).rowCount!;
}
