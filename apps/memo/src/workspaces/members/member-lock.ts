import { ConflictException, ForbiddenException } from '@nestjs/common';
import { type Sql } from '@inference/database';
import { type Member } from '../../access/member';
import { type WorkspaceRole } from '../../access/workspace-role';
import { workspaceNotFound } from '../../access/role-check';

const LOCK = 'SELECT FROM memo.workspaces WHERE id = $1 FOR NO KEY UPDATE';
/** Locks the workspace against all other transactions that change anything in it. */
export const LOCK_EXCLUSIVELY = 'SELECT FROM memo.workspaces WHERE id = $1 FOR UPDATE';
const ROLE = 'SELECT role FROM memo.members WHERE workspace_id = $1 AND account_id = $2';
const COUNT_ADMINS = `SELECT count(*) FROM memo.members WHERE workspace_id = $1 AND role = 'admin'`;

/** Locks the workspace against other changes of its members. Returns the caller's role, read under the lock. */
export async function lockMembers(
  sql: Sql,
  { workspaceId, accountId }: Member,
  lock = LOCK,
): Promise<WorkspaceRole> {
  if ((await sql.query(lock, [workspaceId])).rowCount === 0) throw workspaceNotFound();
  const { rows } = await sql.query<{ role: WorkspaceRole }>(ROLE, [workspaceId, accountId]);
  if (!rows[0]) throw workspaceNotFound();
  return rows[0].role;
}

/** Locks the members like lockMembers, and throws 403 if the caller is no longer an admin. */
export async function lockAsAdmin(sql: Sql, member: Member, lock = LOCK): Promise<void> {
  if ((await lockMembers(sql, member, lock)) !== 'admin')
    throw new ForbiddenException('this needs the role admin');
}

/** Call this after a change that may have removed an admin. Throws 409 if no admin is left. */
export async function requireRemainingAdmin(sql: Sql, workspaceId: string): Promise<void> {
  const { rows } = await sql.query<{ count: bigint }>(COUNT_ADMINS, [workspaceId]);
  if (rows[0]?.count === 0n) throw new ConflictException('a workspace keeps at least one admin');
}
