import { type Executor, type Transaction } from '@inference/database';
import { ApiKey } from '@inference/guards';
import { usageLines } from '@inference/metering';
import { type FindOptionsWhere, IsNull, Raw } from 'typeorm';

export type NewApiKey = Pick<
  ApiKey,
  'id' | 'accountId' | 'name' | 'prefix' | 'keyHash' | 'spendLimitPicos' | 'allowedModels' | 'reportsCost'
>;

export async function insertApiKey(transaction: Transaction, key: NewApiKey): Promise<ApiKey> {
  const keys = transaction.repository(ApiKey);
  const stored = keys.create(key);
  await keys.insert(stored);
  return stored;
}

export type ListedApiKey = Pick<
  ApiKey,
  | 'id'
  | 'name'
  | 'prefix'
  | 'createdAt'
  | 'lastUsedAt'
  | 'spendLimitPicos'
  | 'allowedModels'
  | 'reportsCost'
  | 'suspendedAt'
  | 'suspensionMessage'
>;

const LIST = `
  SELECT id, name, prefix, created_at AS "createdAt", last_used_at AS "lastUsedAt",
    spend_limit_picos AS "spendLimitPicos", allowed_models AS "allowedModels", reports_cost AS "reportsCost", suspended_at AS "suspendedAt",
    suspension_message AS "suspensionMessage"
  FROM accounts.api_keys WHERE account_id = $1 AND deleted_at IS NULL ORDER BY created_at DESC, id DESC`;

/** Newest first. */
export async function listApiKeys(executor: Executor, accountId: string): Promise<ListedApiKey[]> {
  const list = { name: 'list_api_keys', text: LIST, values: [accountId] };
  return (await executor.query<ListedApiKey>(list)).rows;
}

/** The key of an account, locked until the transaction ends. Null if there is none. */
export function lockApiKey(
  transaction: Transaction,
  key: { accountId: string; id: string },
): Promise<ApiKey | null> {
  return transaction
    .repository(ApiKey)
    .findOne({ where: { ...key, deletedAt: IsNull() }, lock: { mode: 'pessimistic_write' } });
}

/** A trigger notifies every service if anything but the name changes. */
export async function updateApiKey(
  transaction: Transaction,
  id: string,
  change: Partial<Pick<ApiKey, 'name' | 'spendLimitPicos' | 'allowedModels' | 'reportsCost'>>,
): Promise<void> {
  await transaction.repository(ApiKey).update({ id }, change);
}

const SPENT_SINCE = `
  WITH ${usageLines('usage', 'month')}
  SELECT api_key_id AS id, sum(cost_picos) AS picos FROM usage_lines WHERE api_key_id <> '' GROUP BY api_key_id`;

/** What the account's keys have spent since a time, in picos, by id. A key without usage is absent. */
export async function readSpentSince(
  executor: Executor,
  accountId: string,
  since: Date,
): Promise<Map<string, bigint>> {
  const values = [since.toISOString(), null, accountId];
  const { rows } = await executor.query<{ id: string; picos: bigint }>(SPENT_SINCE, values);
  return new Map(rows.map(({ id, picos }) => [id, picos]));
}

export function countApiKeys(transaction: Transaction, accountId: string): Promise<number> {
  return transaction.repository(ApiKey).countBy({ accountId, deletedAt: IsNull() });
}

/** Deletes a key of an account. Returns false if there is none. */
export async function deleteApiKey(
  transaction: Transaction,
  key: { accountId: string; id: string },
): Promise<boolean> {
  return (await deleteApiKeys(transaction, key)).length > 0;
}

/**
 * Deletes the keys that an account made before a time, or all of them, and returns their ids.
 *
 * @param before with all digits, which a Date does not hold; null for all
 */
export async function deleteApiKeysMadeBefore(
  transaction: Transaction,
  accountId: string,
  before: string | null,
): Promise<string[]> {
  const made = before === null ? {} : { createdAt: Raw((column) => `${column} < :before`, { before }) };
  return deleteApiKeys(transaction, { accountId, ...made });
}

/** The rows stay, because usage refers to them. A trigger notifies every service. */
async function deleteApiKeys(
  transaction: Transaction,
  keys: FindOptionsWhere<ApiKey> & { accountId: string },
): Promise<string[]> {
  const { raw } = await transaction
    .repository(ApiKey)
    .createQueryBuilder()
    .update({ deletedAt: () => 'now()', keyHash: null })
    .where({ ...keys, deletedAt: IsNull() })
    .returning(['id'])
    .execute();
  return (raw as { id: string }[]).map(({ id }) => id);
}
