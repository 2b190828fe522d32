import { type Sql } from '@inference/database';

const ARM = `
  UPDATE wallet.wallets SET low_balance_notice_due = true
  WHERE account_id = $1 AND NOT low_balance_notice_due AND balance_picos >= $2::numeric`;

/**
 * Enables the next low-balance mail if the balance has reached the threshold. Part of a transaction that credits the
 * wallet. The job does the same periodically, but would miss a wallet whose balance rises and falls between two runs.
 */
export async function enableLowBalanceAlert(
  sql: Sql,
  accountId: string,
  thresholdPicos: bigint,
): Promise<void> {
  await sql.query(ARM, [accountId, thresholdPicos]);
}
