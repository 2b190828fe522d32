import { ConflictException, ForbiddenException, Injectable, NotFoundException } from '@nestjs/common';
import { Database, type Executor, type Transaction } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { type Member } from '../../access/member';
import { findRole, lockWorkspace, lockWorkspaceExclusively } from '../../access/membership.repository';
import { workspaceNotFound } from '../../access/role-check';
import { type WorkspaceRole } from '../../tables/workspace.entity';
import { endInvitations } from '../invitations/invitations.repository';
import { type ChangeMemberDto, type MemberListResponse, type MemberResponse } from './member.dto';
import {
  deleteMember,
  findMember,
  hasAdmin,
  listMembers,
  type MemberWithEmail,
  updateRole,
} from './members.repository';

const memberNotFound = () => new NotFoundException('no such member');

@Injectable()
export class MembersService {
  constructor(private readonly database: Database) {}

  async list({ workspaceId }: Member, query: PageQuery): Promise<MemberListResponse> {
    const { rows, nextCursor } = await readPage(`members:${workspaceId}`, query, (after, count) =>
      listMembers(this.database, workspaceId, after, count),
    );
    return { members: rows.map(responseOf), next_cursor: nextCursor };
  }

  change(member: Member, userId: string, { role }: ChangeMemberDto): Promise<MemberResponse> {
    const { workspaceId } = member;
    return this.database.transaction(async (transaction) => {
      await lockAsAdmin(transaction, member);
      if (!(await updateRole(transaction, { workspaceId, accountId: userId }, role))) throw memberNotFound();
      if (role !== 'admin') await endInvitations(transaction, { workspaceId, invitedBy: userId });
      await requireRemainingAdmin(transaction, workspaceId);
      return find(transaction, workspaceId, userId);
    });
  }

  /** The keys of the member are deleted with the membership, and the invitations end. */
  async remove(member: Member, userId: string): Promise<void> {
    const { workspaceId } = member;
    await this.database.transaction(async (transaction) => {
      // The member's conversations are deleted too. The exclusive lock keeps others from deleting documents that
      // these cite.
      const role = await lockMembers(transaction, member, lockWorkspaceExclusively);
      if (role !== 'admin' && userId !== member.accountId)
        throw new ForbiddenException('this needs the role admin');
      if (!(await deleteMember(transaction, { workspaceId, accountId: userId }))) throw memberNotFound();
      await endInvitations(transaction, { workspaceId, invitedBy: userId });
      await requireRemainingAdmin(transaction, workspaceId);
    });
  }
}

async function find(executor: Executor, workspaceId: string, accountId: string): Promise<MemberResponse> {
  return responseOf((await findMember(executor, { workspaceId, accountId }))!);
}

const responseOf = ({ accountId, email, role, createdAt }: MemberWithEmail): MemberResponse => ({
  user_id: accountId,
  email,
  role,
  created_at: createdAt.toISOString(),
});

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
async function requireRemainingAdmin(transaction: Transaction, workspaceId: string): Promise<void> {
  if (!(await hasAdmin(transaction, workspaceId)))
    throw new ConflictException('a workspace keeps at least one admin');
}
