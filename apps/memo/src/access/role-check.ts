import { ForbiddenException, NotFoundException } from '@nestjs/common';
import { type Executor, type Transaction } from '@inference/database';
import { type Member } from './member';
import { findRole, findRoleForShare, lockWorkspaceAgainstDeletion } from './membership.repository';
import { isAtLeast, type WorkspaceRole } from '../tables/workspace.entity';

export const workspaceNotFound = () => new NotFoundException('no such workspace');

/**
 * The current role of a member or key. Throws 404 if the workspace does not exist or the caller is not a member, and
 * 403 if the role is lower than needed.
 */
export async function requireRole(
  executor: Executor,
  member: Omit<Member, 'role'>,
  needed: WorkspaceRole,
): Promise<WorkspaceRole> {
  return sufficientRole(await findRole(executor, member), needed);
}

/**
 * Checks the role like requireRole, and locks it until the transaction ends. Call it first in a transaction that
 * changes something in a workspace, because the role may have changed since the request began. Locks the workspace
 * before the member, as all transactions do.
 */
export async function lockRole(
  transaction: Transaction,
  member: Member,
  needed: WorkspaceRole,
): Promise<void> {
  if (!(await lockWorkspaceAgainstDeletion(transaction, member.workspaceId))) throw workspaceNotFound();
  sufficientRole(await findRoleForShare(transaction, member), needed);
}

/** Throws 404 without a role, and 403 if it is lower than needed. */
export function sufficientRole(role: WorkspaceRole | null, needed: WorkspaceRole): WorkspaceRole {
  if (role === null) throw workspaceNotFound();
  if (!isAtLeast(role, needed)) throw new ForbiddenException(`this needs the role ${needed}`);
  return role;
}
