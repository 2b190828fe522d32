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

export const noSuchWorkspace = () => new NotFoundException('there is no such workspace');

/** Of a member or of his key, as it is now; 404 for nobody's, 403 when it does not suffice. */
export async function findRole(
  sql: Sql,
  { workspaceId, accountId, keyId }: Omit<Member, 'role'>,
  needed: WorkspaceRole,
  suffix = '',
): Promise<WorkspaceRole> {
  const { rows } = await sql.query<{ role: WorkspaceRole }>(FIND + suffix, [workspaceId, accountId, keyId]);
  if (!rows[0]) throw noSuchWorkspace();
  if (!isAtLeast(rows[0].role, needed)) throw new ForbiddenException(`this needs the role ${needed}`);
  return rows[0].role;
}

/**
 * The first of a transaction that changes something in a workspace: the role may have been taken away since the request
 * began, and until the transaction ends it cannot be. Locks first the workspace, like everybody.
 */
export async function holdRole(sql: Sql, member: Member, needed: WorkspaceRole): Promise<void> {
  if ((await sql.query(LOCK_WORKSPACE, [member.workspaceId])).rowCount === 0) throw noSuchWorkspace();
  await findRole(sql, member, needed, ' FOR SHARE OF m');
}
