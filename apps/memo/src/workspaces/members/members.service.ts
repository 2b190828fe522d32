import {
  BadRequestException,
  ConflictException,
  ForbiddenException,
  Injectable,
  NotFoundException,
} from '@nestjs/common';
import { Database, type Sql } from '@inference/database';
import { type PageQuery, type Position, readPage } from '@inference/http';
import { type Member } from '../../access/member';
import { type WorkspaceRole } from '../../access/workspace-role';
import { LOCK_EXCLUSIVELY, lockAsAdmin, lockMembers, requireRemainingAdmin } from './member-lock';
import {
  type AddMemberDto,
  type ChangeMemberDto,
  type MemberListResponse,
  type MemberResponse,
} from './member.dto';

interface MemberRow {
  account_id: string;
  email: string | null;
  role: WorkspaceRole;
  created_at: Date;
}

/** Clients read the list of members as a whole, so twice as many double that response; half would not hold a large department. */
const MAX_MEMBERS = 1_000;

const SELECT = `
  SELECT m.account_id, e.email, m.role, m.created_at
  FROM memo.members m LEFT JOIN memo.member_emails($1) e ON e.account_id = m.account_id WHERE m.workspace_id = $1`;
const FIND = `${SELECT} AND m.account_id = $2`;
const LIST = `
  SELECT *, json_build_object('at', to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'id', account_id) AS position
  FROM (${SELECT}) m WHERE $2::timestamptz IS NULL OR (created_at, account_id) > ($2, $3)
  ORDER BY created_at, account_id LIMIT $4`;
const FIND_BY_ID = 'SELECT id FROM accounts.accounts WHERE id = $1';
const FIND_BY_EMAIL = 'SELECT memo.find_account($1) AS id';
const INSERT = `
  INSERT INTO memo.members (workspace_id, account_id, role, shows_email) VALUES ($1, $2, $3, $4)
  ON CONFLICT DO NOTHING`;
const COUNT = 'SELECT count(*)::integer AS count FROM memo.members WHERE workspace_id = $1';
const UPDATE = 'UPDATE memo.members SET role = $3 WHERE workspace_id = $1 AND account_id = $2';
const DELETE = 'DELETE FROM memo.members WHERE workspace_id = $1 AND account_id = $2';

const memberNotFound = () => new NotFoundException('no such member');

@Injectable()
export class MembersService {
  constructor(private readonly database: Database) {}

  async list({ workspaceId }: Member, query: PageQuery): Promise<MemberListResponse> {
    const read = async (after: Position | null, count: number) => {
      const values = [workspaceId, after?.at ?? null, after?.id ?? null, count];
      return (await this.database.query<MemberRow & { position: Position }>(LIST, values)).rows;
    };
    const { rows, nextCursor } = await readPage(`members:${workspaceId}`, query, read);
    return { members: rows.map(responseOf), next_cursor: nextCursor };
  }

  /**
   * Throws 400 unless exactly one of id and address is given, 404 if the account does not exist, and 409 if it is
   * already a member or the workspace has too many members.
   */
  async add(member: Member, body: AddMemberDto): Promise<MemberResponse> {
    if ((body.user_id === undefined) === (body.email === undefined))
      throw new BadRequestException('either user_id or email must be given');
    return this.database.transaction(async (sql) => {
      await lockAsAdmin(sql, member);
      const accountId = await findAccount(sql, body);
      const { rowCount } = await sql.query(INSERT, [
        ...[member.workspaceId, accountId, body.role, body.email !== undefined],
      ]);
      if (rowCount === 0) throw new ConflictException('is a member already');
      const { rows } = await sql.query<{ count: number }>(COUNT, [member.workspaceId]);
      if (rows[0]!.count > MAX_MEMBERS)
        throw new ConflictException(`a workspace has ${MAX_MEMBERS} members at most; remove one first`);
      return find(sql, member.workspaceId, accountId);
    });
  }

  change(member: Member, userId: string, { role }: ChangeMemberDto): Promise<MemberResponse> {
    return this.database.transaction(async (sql) => {
      await lockAsAdmin(sql, member);
      const { rowCount } = await sql.query(UPDATE, [member.workspaceId, userId, role]);
      if (rowCount === 0) throw memberNotFound();
      await requireRemainingAdmin(sql, member.workspaceId);
      return find(sql, member.workspaceId, userId);
    });
  }

  /** The keys of the member are deleted with the membership. */
  async remove(member: Member, userId: string): Promise<void> {
    await this.database.transaction(async (sql) => {
      // The member's conversations are deleted too. The exclusive lock keeps others from deleting documents that
      // these cite.
      const role = await lockMembers(sql, member, LOCK_EXCLUSIVELY);
      if (role !== 'admin' && userId !== member.accountId)
        throw new ForbiddenException('this needs the role admin');
      const { rowCount } = await sql.query(DELETE, [member.workspaceId, userId]);
      if (rowCount === 0) throw memberNotFound();
      await requireRemainingAdmin(sql, member.workspaceId);
    });
  }
}

async function findAccount(sql: Sql, { user_id: userId, email }: AddMemberDto): Promise<string> {
  const { rows } =
    userId === undefined
      ? await sql.query<{ id: string | null }>(FIND_BY_EMAIL, [email])
      : await sql.query<{ id: string | null }>(FIND_BY_ID, [userId]);
  if (rows[0]?.id) return rows[0].id;
  throw new NotFoundException(
    userId === undefined ? 'no account has this address and has confirmed it' : 'no such account',
  );
}

async function find(sql: Sql, workspaceId: string, accountId: string): Promise<MemberResponse> {
  const { rows } = await sql.query<MemberRow>(FIND, [workspaceId, accountId]);
  return responseOf(rows[0]!);
}

const responseOf = ({
  account_id: userId,
  email,
  role,
  created_at: createdAt,
}: MemberRow): MemberResponse => ({
  user_id: userId,
  email,
  role,
  created_at: createdAt.toISOString(),
});
