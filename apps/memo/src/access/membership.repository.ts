import { type Executor, type Transaction } from '@inference/database';
import { Workspace, type WorkspaceMember, type WorkspaceRole } from '../tables/workspace.entity';
import { type Member } from './member';

const FIND_ROLE = `
  SELECT least(m.role, k.role) AS role
  FROM memo.members m LEFT JOIN memo.keys k
    ON k.id = $3 AND k.workspace_id = m.workspace_id AND k.account_id = m.account_id
  WHERE m.workspace_id = $1 AND m.account_id = $2 AND ($3::text IS NULL OR k.id IS NOT NULL)`;
const LOCK_ROLE = `${FIND_ROLE} FOR SHARE OF m`;

/** The role of a member; with a key, the lower one of both roles. Null if there is no such member, or no such key of it. */
export async function findRole(
  executor: Executor,
  { workspaceId, accountId, keyId }: Omit<Member, 'role'>,
): Promise<WorkspaceRole | null> {
  const values = [workspaceId, accountId, keyId];
  const { rows } = await executor.query<Pick<WorkspaceMember, 'role'>>(FIND_ROLE, values);
  return rows[0]?.role ?? null;
}

/** Reads the role like findRole, and locks the member against changes. */
export async function findRoleForShare(
  transaction: Transaction,
  { workspaceId, accountId, keyId }: Omit<Member, 'role'>,
): Promise<WorkspaceRole | null> {
  const values = [workspaceId, accountId, keyId];
  const { rows } = await transaction.query<Pick<WorkspaceMember, 'role'>>(LOCK_ROLE, values);
  return rows[0]?.role ?? null;
}

/** Locks the workspace against its deletion only. Returns false if it does not exist. */
export const lockWorkspaceAgainstDeletion = (transaction: Transaction, id: string): Promise<boolean> =>
  lock(transaction, id, 'for_key_share');

/** Locks the workspace against changes of its name, members and keys. Returns false if it does not exist. */
export const lockWorkspace = (transaction: Transaction, id: string): Promise<boolean> =>
  lock(transaction, id, 'for_no_key_update');

/** Locks the workspace against all other transactions that change anything in it. Returns false if it does not exist. */
export const lockWorkspaceExclusively = (transaction: Transaction, id: string): Promise<boolean> =>
  lock(transaction, id, 'pessimistic_write');

async function lock(
  transaction: Transaction,
  id: string,
  mode: 'for_key_share' | 'for_no_key_update' | 'pessimistic_write',
): Promise<boolean> {
  const found = await transaction
    .repository(Workspace)
    .findOne({ select: { id: true }, where: { id }, lock: { mode } });
  return found !== null;
}
