import { ForbiddenException, NotFoundException } from '@nestjs/common';
import { type Sql } from '@inference/database';
import { type Member } from './member';
import { isAtLeast, type WorkspaceRole } from './workspace-role';

const FIND = `
  SELECT least(m.role, k.role) AS role
  FROM memo.members m LEFT JOIN memo.keys k
    ON k.id = $3 AND k.workspace_id = m.workspace_id AND k.account_id = m.account_id
  WHERE m.workspace_id = $1 AND m.account_id = $2 AND ($3::text IS NULL OR k.id IS NOT NULL)`;
const LOCK_WORKSPACE = 'SELECT FROM memo.workspaces WHERE id = $1 FOR KEY SHARE';

export const workspaceNotFound = () => new NotFoundException('no such workspace');

/**
 * The current role of a member or key. Throws 404 if the workspace does not exist or the caller is not a member, and
 * 403 if the role is lower than needed.
 */
export async function requireRole(
  sql: Sql,
  { workspaceId, accountId, keyId }: Omit<Member, 'role'>,
  needed: WorkspaceRole,
  suffix = '',
): Promise<WorkspaceRole> {
  const { rows } = await sql.query<{ role: WorkspaceRole }>(FIND + suffix, [workspaceId, accountId, keyId]);
  if (!rows[0]) throw workspaceNotFound();
  if (!isAtLeast(rows[0].role, needed)) throw new ForbiddenException(`this needs the role ${needed}`);
  return rows[0].role;
}

/**
 * Checks the role like requireRole, and locks it until the transaction ends. Call it first in a transaction that
 * changes something in a workspace, because the role may have changed since the request began. Locks the workspace
 * before the member, as all transactions do.
 */
export async function lockRole(sql: Sql, member: Member, needed: WorkspaceRole): Promise<void> {
  if ((await sql.query(LOCK_WORKSPACE, [member.workspaceId])).rowCount === 0) throw workspaceNotFound();
  await requireRole(sql, member, needed, ' FOR SHARE OF m');
}
