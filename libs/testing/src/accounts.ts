import { createApiKey, hashSecretKey, type Role } from '@inference/credentials';
import { newId, type Sql } from '@inference/database';
import { postTransfer } from '@inference/wallet';
import { rememberSecret } from './remembered-secrets';
import { TEST_API_KEY_HASH_SECRET } from './secrets';

export interface TestAccount {
  accountId: string;
  apiKeyId: string;
  /** The secret key itself. */
  apiKey: string;
}

/** Inserts an account with a wallet holding `balancePicos`, and one API key. It has no password. */
export async function insertAccount(
  sql: Sql,
  options: { balancePicos?: bigint; role?: Role; currency?: 'USD' | 'CNY' } = {},
): Promise<TestAccount> {
  const accountId = newId('acct');
  await sql.query('INSERT INTO accounts.accounts (id, email, role) VALUES ($1, $2, $3)', [
    accountId,
    `${accountId.toLowerCase()}@example.com`,
    options.role ?? 'user',
  ]);
  await sql.query('INSERT INTO wallet.wallets (account_id, currency) VALUES ($1, $2)', [
    accountId,
    options.currency ?? 'USD',
  ]);
  if (options.balancePicos) {
    await postTransfer(sql, {
      kind: 'adjustment',
      accountId,
      amountPicos: options.balancePicos,
      counterpart: 'equity:adjustments',
      reference: `test:${accountId}`,
      description: 'Opening balance',
    });
  }
  return { accountId, ...(await insertApiKey(sql, accountId)) };
}

export async function insertApiKey(
  sql: Sql,
  accountId: string,
  options: { spendLimitPicos?: bigint; allowedModels?: string[] } = {},
): Promise<{ apiKeyId: string; apiKey: string }> {
  const apiKeyId = newId('key');
  const { key, prefix } = createApiKey();
  rememberSecret(key);
  await sql.query(
    `INSERT INTO accounts.api_keys (id, account_id, name, prefix, key_hash, spend_limit_picos, allowed_models)
     VALUES ($1, $2, 'test', $3, $4, $5, $6)`,
    [
      apiKeyId,
      accountId,
      prefix,
      hashSecretKey(key, TEST_API_KEY_HASH_SECRET),
      options.spendLimitPicos ?? null,
      options.allowedModels ?? null,
    ],
  );
  await sql.query(
    'INSERT INTO wallet.key_budgets (api_key_id, account_id, limit_picos) VALUES ($1, $2, $3)',
    [apiKeyId, accountId, options.spendLimitPicos ?? null],
  );
  return { apiKeyId, apiKey: key };
}
