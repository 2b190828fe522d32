import { type Currency } from '@inference/config';
import { type Executor, type Sql } from '@inference/database';
import { KeyBudget } from './key-budget.entity';
import { type Wallet } from './wallet.entity';

/** Creates the empty wallet of an account, in the transaction that creates the account. */
export async function openWallet(sql: Sql, accountId: string, currency: Currency): Promise<void> {
  await sql.query('INSERT INTO wallet.wallets (account_id, currency) VALUES ($1, $2)', [accountId, currency]);
}

/** Returns the wallet of an account, or null if the account does not exist. */
export async function readWallet(
  sql: Sql,
  accountId: string,
): Promise<Pick<Wallet, 'currency' | 'balancePicos'> | null> {
  const { rows } = await sql.query<{ currency: Currency; balance_picos: bigint }>(
    'SELECT currency, balance_picos FROM wallet.wallets WHERE account_id = $1',
    [accountId],
  );
  return rows[0] ? { currency: rows[0].currency, balancePicos: rows[0].balance_picos } : null;
}

/** Starts to count what an API key spends, in the transaction that creates the key. */
export async function openKeyBudget(
  executor: Executor,
  budget: Pick<KeyBudget, 'apiKeyId' | 'accountId' | 'limitPicos'>,
): Promise<void> {
  await executor.repository(KeyBudget).insert(budget);
}
