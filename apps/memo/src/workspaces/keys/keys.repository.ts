import { type Executor, type Position, readNewestFirst, type Transaction } from '@inference/database';
import { type AccountRole, Session } from '@inference/guards';
import { IsNull, Raw } from 'typeorm';
import { WorkspaceKey } from '../../tables/workspace.entity';

type NewKey = Pick<WorkspaceKey, 'id' | 'workspaceId' | 'accountId' | 'name' | 'prefix' | 'keyHash' | 'role'>;

/** A key in use, with the role of its creator's account. Its own role is not above that of its creator. */
type UsedKey = Pick<WorkspaceKey, 'id' | 'workspaceId' | 'accountId' | 'role' | 'keyHash'> & {
  accountRole: AccountRole['role'];
  isSuspended: boolean;
};

const FIND_BY_HASH = {
  name: 'key-by-hash',
  text: `
    SELECT k.id, k.workspace_id AS "workspaceId", k.account_id AS "accountId", a.role AS "accountRole",
      a.suspended_at IS NOT NULL AS "isSuspended", least(m.role, k.role) AS role,
      k.key_hash AS "keyHash"
    FROM memo.keys k JOIN accounts.accounts a ON a.id = k.account_id
      JOIN memo.members m ON m.workspace_id = k.workspace_id AND m.account_id = k.account_id
    WHERE k.key_hash = ANY($1)`,
};
const RECORD_USE = `
  UPDATE memo.keys SET last_used_at = now()
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '10 seconds')`;
const REHASH = 'UPDATE memo.keys SET key_hash = $2, last_used_at = now() WHERE id = $1';
const DELETE = `
  DELETE FROM memo.keys WHERE id = $3 AND workspace_id = $1 AND (account_id = $2 OR EXISTS (
    SELECT FROM memo.members WHERE workspace_id = $1 AND account_id = $2 AND role = 'admin'))`;

export async function insertKey(transaction: Transaction, key: NewKey): Promise<WorkspaceKey> {
  const keys = transaction.repository(WorkspaceKey);
  const stored = keys.create(key);
  await keys.insert(stored);
  return stored;
}

/** Whether the session has not ended, as of now: the guard may have learned of its end a moment late. */
export function isLiveSession(
  executor: Executor,
  { id, accountId }: Pick<Session, 'id' | 'accountId'>,
): Promise<boolean> {
  return executor.repository(Session).existsBy({
    id,
    accountId,
    endedAt: IsNull(),
    expiresAt: Raw((column) => `${column} > now()`),
  });
}

export function countKeys(
  executor: Executor,
  { workspaceId, accountId }: Pick<WorkspaceKey, 'workspaceId' | 'accountId'>,
): Promise<number> {
  return executor.repository(WorkspaceKey).countBy({ workspaceId, accountId });
}

/**
 * Keys of a workspace with the memberships of their creators, newest first.
 * @param filter without an account: the keys of all members
 */
export function listKeys(
  executor: Executor,
  filter: { workspaceId: string; accountId?: string },
  after: Position | null,
  count: number,
): Promise<(WorkspaceKey & { position: Position })[]> {
  const query = executor
    .repository(WorkspaceKey)
    .createQueryBuilder('key')
    .innerJoinAndSelect('key.member', 'member')
    .where(filter);
  return readNewestFirst(query, 'createdAt', after, count);
}

/**
 * Finds a key by the hashes under which it may be stored; null if there is none. A statement for each hash would miss a key whose
 * hash another process replaces between them.
 */
export async function findKeyByHash(executor: Executor, hashes: Buffer[]): Promise<UsedKey | null> {
  const { rows } = await executor.query<UsedKey>({ ...FIND_BY_HASH, values: [hashes] });
  return rows[0] ?? null;
}

/** Sets the time of the last use, unless that was seconds ago. */
export async function recordKeyUse(executor: Executor, id: string): Promise<void> {
  await executor.query(RECORD_USE, [id]);
}

/** Stores a used key under another hash. */
export async function rehashKey(executor: Executor, id: string, keyHash: Buffer): Promise<void> {
  await executor.query(REHASH, [id, keyHash]);
}

/** Deletes a key of the account; an admin's account deletes every key. Returns false if there is no such key. */
export async function deleteKey(
  executor: Executor,
  { workspaceId, accountId }: { workspaceId: string; accountId: string },
  id: string,
): Promise<boolean> {
  const { rowCount } = await executor.query(DELETE, [workspaceId, accountId, id]);
  return rowCount === 1;
}
