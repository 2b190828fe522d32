import { ConflictException, ForbiddenException } from '@nestjs/common';
import { type Transaction } from '@inference/database';
import { type Member } from '../../access/member';
import { type WorkspaceRole } from '../../tables/workspace-role';
import { workspaceNotFound } from '../../access/role-check';
import { findRole, lockWorkspace } from '../../access/membership.repository';
import { hasAdmin } from './members.repository';

/**
 * Locks the workspace against other changes of its members. Returns the caller's role, read under the lock.
 * @param lock takes the lock of the workspace, or a stronger one
 */
export async function lockMembers(
  transaction: Transaction,
  { workspaceId, accountId }: Member,
  lock = lockWorkspace,
): Promise<WorkspaceRole> {
  if (!(await lock(transaction, workspaceId))) throw workspaceNotFound();
  const role = await findRole(transaction, { workspaceId, accountId, keyId: null });
  if (role === null) throw workspaceNotFound();
  return role;
}

/** Locks the members like lockMembers, and throws 403 if the caller is no longer an admin. */
export async function lockAsAdmin(
  transaction: Transaction,
  member: Member,
  lock = lockWorkspace,
): Promise<void> {
  if ((await lockMembers(transaction, member, lock)) !== 'admin')
    throw new ForbiddenException('this needs the role admin');
}

/** Call this after a change that may have removed an admin. Throws 409 if no admin is left. */
export async function requireRemainingAdmin(transaction: Transaction, workspaceId: string): Promise<void> {
  if (!(await hasAdmin(transaction, workspaceId)))
    throw new ConflictException('a workspace keeps at least one admin');
}
