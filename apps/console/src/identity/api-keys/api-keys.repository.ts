import { type Executor, type Transaction } from '@inference/database';
import { ApiKey } from '@inference/guards';
import { IsNull } from 'typeorm';

export type NewApiKey = Pick<
  ApiKey,
  'id' | 'accountId' | 'name' | 'prefix' | 'keyHash' | 'spendLimitPicos' | 'allowedModels'
>;

export async function insertApiKey(transaction: Transaction, key: NewApiKey): Promise<ApiKey> {
  const keys = transaction.repository(ApiKey);
  const stored = keys.create(key);
  await keys.insert(stored);
  return stored;
}

/** Newest first. */
export function listApiKeys(executor: Executor, accountId: string): Promise<ApiKey[]> {
  return executor.repository(ApiKey).find({
    where: { accountId, deletedAt: IsNull() },
    order: { createdAt: 'DESC', id: 'DESC' },
  });
}

export function countApiKeys(transaction: Transaction, accountId: string): Promise<number> {
  return transaction.repository(ApiKey).countBy({ accountId, deletedAt: IsNull() });
}

/**
 * Deletes a key of an account, or all of them, and returns their ids. The rows stay, because usage refers to them. A trigger
 * notifies every service.
 */
export async function deleteApiKeys(
  transaction: Transaction,
  keys: { accountId: string; id?: string },
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
