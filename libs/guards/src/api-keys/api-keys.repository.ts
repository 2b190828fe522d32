import { type Executor } from '@inference/database';
import { In } from 'typeorm';
import { ApiKey } from './api-key.entity';

const TOUCH = `
  UPDATE accounts.api_keys SET last_used_at = now()
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '10 seconds')`;
const REHASH = `
  UPDATE accounts.api_keys SET key_hash = $2, last_used_at = now() WHERE id = $1 AND deleted_at IS NULL`;

/**
 * The key with its account, by the hashes under which it may be stored. Null for an unknown and for a deleted key. A statement for
 * each hash would miss a key whose hash another process replaces between them.
 */
export async function findApiKey(executor: Executor, hashes: Buffer[]): Promise<ApiKey | null> {
  const [key] = await executor
    .repository(ApiKey)
    .find({ where: { keyHash: In(hashes) }, relations: { account: true } });
  return key ?? null;
}

/** Stores a used key under another hash, unless it was deleted meanwhile. */
export async function rehashApiKey(executor: Executor, id: string, keyHash: Buffer): Promise<void> {
  await executor.query(REHASH, [id, keyHash]);
}

/** Stores the time of a use, to within ten seconds. */
export async function touchApiKey(executor: Executor, id: string): Promise<void> {
  await executor.query(TOUCH, [id]);
}
