import { type Executor, type Position, type Transaction } from '@inference/database';
import { type Member } from '../../access/member';
import { type WorkspaceRole } from '../../access/workspace-role';
import { WorkspaceMember } from './workspace-member.entity';

/** A member with the email address, if other members see it. */
export type MemberWithEmail = Pick<WorkspaceMember, 'accountId' | 'role' | 'createdAt'> & {
  email: string | null;
};

const FIND_ROLE = `
  SELECT least(m.role, k.role) AS role
  FROM memo.members m LEFT JOIN memo.keys k
    ON k.id = $3 AND k.workspace_id = m.workspace_id AND k.account_id = m.account_id
  WHERE m.workspace_id = $1 AND m.account_id = $2 AND ($3::text IS NULL OR k.id IS NOT NULL)`;
const LOCK_ROLE = `${FIND_ROLE} FOR SHARE OF m`;
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
