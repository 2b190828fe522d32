import { type Currency } from '@inference/config';
import { type Sql } from '@inference/database';

export interface Wallet {
  currency: Currency;
  /** Money of the account, leased or not: top-ups and adjustments less all settled usage. */
  balancePicos: bigint;
}

/** Opens the account's empty wallet; part of the transaction that makes the account. */
export async function openWallet(sql: Sql, accountId: string, currency: Currency): Promise<void> {
  await sql.query('INSERT INTO wallet.wallets (account_id, currency) VALUES ($1, $2)', [accountId, currency]);
}

export async function readWallet(sql: Sql, accountId: string): Promise<Wallet | null> {
  const { rows } = await sql.query<{ currency: Currency; balance_picos: bigint }>(
    'SELECT currency, balance_picos FROM wallet.wallets WHERE account_id = $1',
    [accountId],
  );
  return rows[0] ? { currency: rows[0].currency, balancePicos: rows[0].balance_picos } : null;
}
