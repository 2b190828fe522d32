import { type Executor, type Transaction } from '@inference/database';
import { IsNull } from 'typeorm';
import { IdempotencyKey } from './idempotency-key.entity';

/** What identifies a key. */
export type KeyPath = Pick<IdempotencyKey, 'accountId' | 'operation' | 'key'>;

/** A client is not expected to repeat a request after 30 days. */
const DELETE_OLD = `
  DELETE FROM billing.idempotency_keys WHERE (account_id, operation, key) IN (
    SELECT account_id, operation, key FROM billing.idempotency_keys WHERE created_at < now() - interval '30 days'
    LIMIT $1 FOR UPDATE SKIP LOCKED)`;

/**
 * Returns false if the key is used. Of two concurrent transactions with one key the second waits until the first one has
 * ended.
 */
export async function insertIdempotencyKey(
  transaction: Transaction,
  key: KeyPath & Pick<IdempotencyKey, 'fingerprint' | 'resourceId'>,
): Promise<boolean> {
  const { raw } = await transaction
    .repository(IdempotencyKey)
    .createQueryBuilder()
    .insert()
    .values(key)
    .orIgnore()
    .returning(['key'])
    .execute();
  return (raw as unknown[]).length === 1;
}

export function findIdempotencyKey(
  transaction: Transaction,
  { accountId, operation, key }: KeyPath,
): Promise<IdempotencyKey | null> {
  return transaction.repository(IdempotencyKey).findOneBy({ accountId, operation, key });
}

/** Stores the answer unless there is one already. Returns the stored one; undefined for an unknown key. */
export async function storeAnswer(
  executor: Executor,
  { accountId, operation, key }: KeyPath,
  answer: string,
): Promise<string | undefined> {
  const { raw } = await executor
    .repository(IdempotencyKey)
    .createQueryBuilder()
    .update({ answer: () => 'coalesce(answer, :answer)' })
    .where({ accountId, operation, key })
    .setParameter('answer', answer)
    .returning(['answer'])
    .execute();
  return (raw as { answer: string }[])[0]?.answer;
}

/** An answered key stays. */
export async function deleteUnansweredKey(
  transaction: Transaction,
  { accountId, operation, key }: KeyPath,
): Promise<void> {
  await transaction.repository(IdempotencyKey).delete({ accountId, operation, key, answer: IsNull() });
}

/** Deletes up to `limit` old keys and returns their number. */
export async function deleteOldIdempotencyKeys(executor: Executor, limit: number): Promise<number> {
  return (await executor.query(DELETE_OLD, [limit])).rowCount ?? 0;
}
