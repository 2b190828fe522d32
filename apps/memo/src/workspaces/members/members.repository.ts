import { type Executor, type Position, type Transaction } from '@inference/database';
import { WorkspaceMember, type WorkspaceRole } from '../../tables/workspace.entity';

/** A member with the email address, if other members see it. */
export type MemberWithEmail = Pick<WorkspaceMember, 'accountId' | 'role' | 'createdAt'> & {
  email: string | null;
};

const SELECT = `
  SELECT m.account_id AS "accountId", e.email, m.role, m.created_at AS "createdAt"
  FROM memo.members m LEFT JOIN memo.member_emails($1) e ON e.account_id = m.account_id WHERE m.workspace_id = $1`;
const FIND = `${SELECT} AND m.account_id = $2`;
const LIST = `
  SELECT *, json_build_object('at', to_char("createdAt" AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'id', "accountId") AS position
  FROM (${SELECT}) m WHERE $2::timestamptz IS NULL OR ("createdAt", "accountId") > ($2, $3)
  ORDER BY "createdAt", "accountId" LIMIT $4`;

type Membership = Pick<WorkspaceMember, 'workspaceId' | 'accountId'>;

/** Null if there is no such member. */
export async function findMember(
  executor: Executor,
  { workspaceId, accountId }: Membership,
): Promise<MemberWithEmail | null> {
  const { rows } = await executor.query<MemberWithEmail>(FIND, [workspaceId, accountId]);
  return rows[0] ?? null;
}

/** Oldest first. */
export async function listMembers(
  executor: Executor,
  workspaceId: string,
  after: Position | null,
  count: number,
): Promise<(MemberWithEmail & { position: Position })[]> {
  const values = [workspaceId, after?.at ?? null, after?.id ?? null, count];
  return (await executor.query<MemberWithEmail & { position: Position }>(LIST, values)).rows;
}

export function countMembers(executor: Executor, workspaceId: string): Promise<number> {
  return executor.repository(WorkspaceMember).countBy({ workspaceId });
}

export function hasAdmin(executor: Executor, workspaceId: string): Promise<boolean> {
  return executor.repository(WorkspaceMember).existsBy({ workspaceId, role: 'admin' });
}

/** Returns false if the account is a member already. */
export async function insertMember(
  transaction: Transaction,
  member: Omit<WorkspaceMember, 'createdAt'>,
): Promise<boolean> {
  const { raw } = await transaction
    .repository(WorkspaceMember)
    .createQueryBuilder()
    .insert()
    .values(member)
    .orIgnore()
    .returning(['accountId'])
    .execute();
  return (raw as unknown[]).length === 1;
}

/** Returns false if there is no such member. */
export async function updateRole(
  transaction: Transaction,
  { workspaceId, accountId }: Membership,
  role: WorkspaceRole,
): Promise<boolean> {
  const { affected } = await transaction
    .repository(WorkspaceMember)
    .update({ workspaceId, accountId }, { role });
  return affected === 1;
}

/** Deletes the keys and conversations of the member, too. Returns false if there is no such member. */
export async function deleteMember(
  transaction: Transaction,
  { workspaceId, accountId }: Membership,
): Promise<boolean> {
  const { affected } = await transaction.repository(WorkspaceMember).delete({ workspaceId, accountId });
  return affected === 1;
}
