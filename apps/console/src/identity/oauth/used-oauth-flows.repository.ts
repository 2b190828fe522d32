import { type Executor } from '@inference/database';
import { UsedOAuthFlow } from '../identities/oauth-identity.entity';

const DELETE_EXPIRED = `
  DELETE FROM accounts.oauth_flows_used WHERE id_hash IN (
    SELECT id_hash FROM accounts.oauth_flows_used WHERE expires_at < now() LIMIT 100 FOR UPDATE SKIP LOCKED)`;

/** Returns false if the flow was inserted before. */
export async function insertUsedFlow(
  executor: Executor,
  idHash: Buffer,
  retentionSeconds: number,
): Promise<boolean> {
  const { raw } = await executor
    .repository(UsedOAuthFlow)
    .createQueryBuilder()
    .insert()
    .values({ idHash, expiresAt: () => 'now() + make_interval(secs => :retentionSeconds)' })
    .setParameters({ retentionSeconds })
    .orIgnore()
    .returning(['idHash'])
    .execute();
  return (raw as unknown[]).length === 1;
}

export async function deleteExpiredFlows(executor: Executor): Promise<void> {
  await executor.query(DELETE_EXPIRED);
}
