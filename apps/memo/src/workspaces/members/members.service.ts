import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  Injectable,
  NotFoundException,
} from '@nestjs/common';
import { Database, type Executor } from '@inference/database';
import { type PageQuery, readPage } from '@inference/http';
import { type Member } from '../../access/member';
import { lockWorkspaceExclusively } from '../workspaces.repository';
import { lockAsAdmin, lockMembers, requireRemainingAdmin } from './member-lock';
import {
  type AddMemberDto,
  type ChangeMemberDto,
  type MemberListResponse,
  type MemberResponse,
} from './member.dto';
import {
  accountExists,
  countMembers,
  deleteMember,
  findAccountByEmail,
  findMember,
  insertMember,
  listMembers,
  type MemberWithEmail,
  updateRole,
} from './members.repository';

/** Clients read the list of members as a whole, so twice as many double that response; half would not hold a large department. */
const MAX_MEMBERS = 1_000;

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

  /**
   * Throws 400 unless exactly one of id and address is given, 404 if the account does not exist, and 409 if it is
   * already a member or the workspace has too many members.
   */
  async add(member: Member, body: AddMemberDto): Promise<MemberResponse> {
    if ((body.user_id === undefined) === (body.email === undefined))
      throw new BadRequestException('either user_id or email must be given');
    const { workspaceId } = member;
    return this.database.transaction(async (transaction) => {
      await lockAsAdmin(transaction, member);
      const accountId = await findAccount(transaction, body);
      const added = { workspaceId, accountId, role: body.role, showsEmail: body.email !== undefined };
      if (!(await insertMember(transaction, added))) throw new ConflictException('is a member already');
      if ((await countMembers(transaction, workspaceId)) > MAX_MEMBERS)
        throw new ConflictException(`a workspace has ${MAX_MEMBERS} members at most; remove one first`);
      return find(transaction, workspaceId, accountId);
    });
  }

  change(member: Member, userId: string, { role }: ChangeMemberDto): Promise<MemberResponse> {
    const { workspaceId } = member;
    return this.database.transaction(async (transaction) => {
      await lockAsAdmin(transaction, member);
      if (!(await updateRole(transaction, { workspaceId, accountId: userId }, role))) throw memberNotFound();
      await requireRemainingAdmin(transaction, workspaceId);
      return find(transaction, workspaceId, userId);
    });
  }

  /** The keys of the member are deleted with the membership. */
  async remove(member: Member, userId: string): Promise<void> {
    const { workspaceId } = member;
    await this.database.transaction(async (transaction) => {
      // The member's conversations are deleted too. The exclusive lock keeps others from deleting documents that
      // these cite.
      const role = await lockMembers(transaction, member, lockWorkspaceExclusively);
      if (role !== 'admin' && userId !== member.accountId)
        throw new ForbiddenException('this needs the role admin');
      if (!(await deleteMember(transaction, { workspaceId, accountId: userId }))) throw memberNotFound();
      await requireRemainingAdmin(transaction, workspaceId);
    });
  }
}

async function findAccount(executor: Executor, { user_id: userId, email }: AddMemberDto): Promise<string> {
  if (userId !== undefined) {
    if (await accountExists(executor, userId)) return userId;
    throw new NotFoundException('no such account');
  }
  const found = await findAccountByEmail(executor, email!);
  if (found !== null) return found;
  throw new NotFoundException('no account has this address and has confirmed it');
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
