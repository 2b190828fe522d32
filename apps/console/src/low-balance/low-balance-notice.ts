import { type Sql } from '@inference/database';

const ARM = `
  UPDATE wallet.wallets SET low_balance_notice_due = true
  WHERE account_id = $1 AND NOT low_balance_notice_due AND balance_picos >= $2::numeric`;

/**
 * Part of a transaction that credits a wallet: should the balance fall below the threshold again, its owner is told.
 * The sweep would come to the same, but not for a wallet that is up and down again before it looks.
 */
export async function armLowBalanceNotice(
  sql: Sql,
  accountId: string,
  thresholdPicos: bigint,
): Promise<void> {
  await sql.query(ARM, [accountId, thresholdPicos]);
}
