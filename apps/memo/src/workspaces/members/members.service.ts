import { ForbiddenException, Injectable, NotFoundException } from '@nestjs/common';
import { Database, type Executor } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { type Member } from '../../access/member';
import { lockWorkspaceExclusively } from '../../access/membership.repository';
import { endInvitations } from '../invitations/invitations.repository';
import { lockAsAdmin, lockMembers, requireRemainingAdmin } from './member-lock';
import { type ChangeMemberDto, type MemberListResponse, type MemberResponse } from './member.dto';
import {
  deleteMember,
  findMember,
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
