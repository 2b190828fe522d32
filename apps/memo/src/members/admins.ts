import { ConflictException, ForbiddenException } from '@nestjs/common';
import { type Sql } from '@inference/database';
import { type Member } from '../access/member';
import { type WorkspaceRole } from '../access/workspace-role';
import { noSuchWorkspace } from '../access/roles';

const LOCK = 'SELECT FROM memo.workspaces WHERE id = $1 FOR NO KEY UPDATE';
/** Against everything that changes in it. */
export const LOCK_ALL = 'SELECT FROM memo.workspaces WHERE id = $1 FOR UPDATE';
const ROLE = 'SELECT role FROM memo.members WHERE workspace_id = $1 AND account_id = $2';
const COUNT_ADMINS = `SELECT count(*) FROM memo.members WHERE workspace_id = $1 AND role = 'admin'`;

/** Locks the workspace against every other change of its members; returns the caller's role as it is then. */
export async function lockMembers(
  sql: Sql,
  { workspaceId, accountId }: Member,
  lock = LOCK,
): Promise<WorkspaceRole> {
  if ((await sql.query(lock, [workspaceId])).rowCount === 0) throw noSuchWorkspace();
  const { rows } = await sql.query<{ role: WorkspaceRole }>(ROLE, [workspaceId, accountId]);
  if (!rows[0]) throw noSuchWorkspace();
  return rows[0].role;
}

/** The same; 403 for who is no admin any more. */
export async function lockAsAdmin(sql: Sql, member: Member, lock = LOCK): Promise<void> {
  if ((await lockMembers(sql, member, lock)) !== 'admin')
    throw new ForbiddenException('this needs the role admin');
}

/** To be called behind every change that may have taken an admin away: 409 when none is left. */
export async function requireAdmin(sql: Sql, workspaceId: string): Promise<void> {
  const { rows } = await sql.query<{ count: bigint }>(COUNT_ADMINS, [workspaceId]);
  if (rows[0]?.count === 0n) throw new ConflictException('a workspace keeps at least one admin');
}
