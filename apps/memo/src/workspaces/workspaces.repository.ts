import { type Executor, type Position, type Transaction } from '@inference/database';
import { type WorkspaceUsage } from '../documents/usage/workspace-usage.repository';
import { Workspace, type WorkspaceMember } from '../tables/workspace.entity';

/** A workspace with the role of one of its members. */
export type WorkspaceOfMember = Pick<Workspace, 'id' | 'name' | 'createdBy' | 'createdAt' | 'updatedAt'> &
  Pick<WorkspaceMember, 'role'> &
  WorkspaceUsage;

const LOCK_CREATOR = "SELECT pg_advisory_xact_lock(hashtextextended('memo.workspaces:' || $1, 0))";
const SELECT = `
  SELECT w.id, w.name, w.created_by AS "createdBy", w.created_at AS "createdAt", w.updated_at AS "updatedAt", m.role,
    h.documents, h.bytes`;
const FROM = `
  FROM memo.members m JOIN memo.workspaces w ON w.id = m.workspace_id, LATERAL (
    SELECT coalesce(sum(documents), 0)::float8 AS documents, coalesce(sum(bytes), 0)::float8 AS bytes
    FROM memo.workspace_usage WHERE workspace_id = w.id) h`;
const FIND = `${SELECT} ${FROM} WHERE w.id = $1 AND m.account_id = $2`;
const LIST = `
  ${SELECT}, json_build_object('at', to_char(w.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'id', w.id) AS position
  ${FROM} WHERE m.account_id = $1 AND ($2::timestamptz IS NULL OR (w.created_at, w.id) < ($2, $3))
  ORDER BY w.created_at DESC, w.id DESC LIMIT $4`;

/** Makes other transactions wait that create a workspace for the account. */
export async function lockCreator(transaction: Transaction, accountId: string): Promise<void> {
  await transaction.query(LOCK_CREATOR, [accountId]);
}

/** Existing workspaces that the account has created. */
export function countCreatedWorkspaces(executor: Executor, accountId: string): Promise<number> {
  return executor.repository(Workspace).countBy({ createdBy: accountId });
}

export async function insertWorkspace(
  transaction: Transaction,
  workspace: Pick<Workspace, 'id' | 'name' | 'createdBy'>,
): Promise<void> {
  await transaction.repository(Workspace).insert(workspace);
}

export async function findWorkspaceOfMember(
  executor: Executor,
  { workspaceId, accountId }: { workspaceId: string; accountId: string },
): Promise<WorkspaceOfMember | null> {
  const { rows } = await executor.query<WorkspaceOfMember>(FIND, [workspaceId, accountId]);
  return rows[0] ?? null;
}

/** Newest first. */
export async function listWorkspacesOfMember(
  executor: Executor,
  accountId: string,
  after: Position | null,
  count: number,
): Promise<(WorkspaceOfMember & { position: Position })[]> {
  const values = [accountId, after?.at ?? null, after?.id ?? null, count];
  return (await executor.query<WorkspaceOfMember & { position: Position }>(LIST, values)).rows;
}

/** Takes the lock of lockWorkspace. */
export async function renameWorkspace(transaction: Transaction, id: string, name: string): Promise<void> {
  await transaction.repository(Workspace).update({ id }, { name, updatedAt: () => 'clock_timestamp()' });
}

export async function deleteWorkspace(transaction: Transaction, id: string): Promise<void> {
  await transaction.repository(Workspace).delete({ id });
}
