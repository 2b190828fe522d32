import { type Executor } from '@inference/database';
import { Raw } from 'typeorm';
import { Replica } from './replica.entity';

const RENEW = `
  INSERT INTO agent.replicas (id, expires_at) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
  ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`;

/** Puts a replica on the list for so many seconds. */
export async function renewReplica(executor: Executor, id: string, ttlSeconds: number): Promise<void> {
  await executor.query(RENEW, [id, ttlSeconds]);
}

export async function deleteReplica(executor: Executor, id: string): Promise<void> {
  await executor.repository(Replica).delete({ id });
}

/** Deletes the entries of replicas that died long ago. */
export async function deleteDeadReplicas(executor: Executor): Promise<void> {
  const expiresAt = Raw((column) => `${column} < clock_timestamp() - interval '1 hour'`);
  await executor.repository(Replica).delete({ expiresAt });
}
