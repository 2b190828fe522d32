import { type Executor } from '@inference/database';
import { ApiKey } from './api-key.entity';

const TOUCH = `
  UPDATE accounts.api_keys SET last_used_at = now()
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '10 seconds')`;

/** The key with its account. Null for an unknown and for a deleted key. */
export async function findApiKey(executor: Executor, keyHash: Buffer): Promise<ApiKey | null> {
  const [key] = await executor.repository(ApiKey).find({ where: { keyHash }, relations: { account: true } });
  return key ?? null;
}

/** Stores the time of a use, to within ten seconds. */
export async function touchApiKey(executor: Executor, id: string): Promise<void> {
  await executor.query(TOUCH, [id]);
}
