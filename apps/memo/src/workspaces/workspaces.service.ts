import { ConflictException, Inject, Injectable } from '@nestjs/common';
import { type Caller } from '@inference/guards';
import { Database, newId, type Sql } from '@inference/database';
import { type PageQuery, type Position, readPage } from '@inference/http';
import { type Member } from '../access/member';
import { type WorkspaceRole } from '../access/workspace-role';
import { requireRole, workspaceNotFound } from '../access/role-check';
import { discardWorkspace } from '../retrieval/index/retirement';
import { LOCK_EXCLUSIVELY, lockAsAdmin } from './members/member-lock';
import { type WorkspaceDto, type WorkspaceListResponse, type WorkspaceResponse } from './workspace.dto';
import { WORKSPACES_CONFIG, type WorkspacesConfig } from './workspaces.config';

interface WorkspaceRow {
  id: string;
  name: string;
  created_by: string;
  created_at: Date;
  updated_at: Date;
  role: WorkspaceRole;
  documents: number;
  bytes: number;
}

const LOCK_CREATOR = "SELECT pg_advisory_xact_lock(hashtextextended('memo.workspaces:' || $1, 0))";
const COUNT_CREATED = 'SELECT count(*)::integer AS count FROM memo.workspaces WHERE created_by = $1';
const INSERT = 'INSERT INTO memo.workspaces (id, name, created_by) VALUES ($1, $2, $3)';
const INSERT_ADMIN = `
  INSERT INTO memo.members (workspace_id, account_id, role, shows_email) VALUES ($1, $2, 'admin', true)`;
const SELECT = 'SELECT w.*, m.role, h.documents, h.bytes';
const FROM = `
  FROM memo.members m JOIN memo.workspaces w ON w.id = m.workspace_id, LATERAL (
    SELECT coalesce(sum(documents), 0)::float8 AS documents, coalesce(sum(bytes), 0)::float8 AS bytes
    FROM memo.workspace_usage WHERE workspace_id = w.id) h`;
const FIND = `${SELECT} ${FROM} WHERE w.id = $1 AND m.account_id = $2`;
const LIST = `
  ${SELECT}, json_build_object('at', to_char(w.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    'id', w.id) AS position
  ${FROM} WHERE m.account_id = $1 AND ($2::timestamptz IS NULL OR (w.created_at, w.id) < ($2, $3))
  ORDER BY w.created_at DESC, w.id DESC LIMIT $4`;
const RENAME = 'UPDATE memo.workspaces SET name = $2, updated_at = clock_timestamp() WHERE id = $1';
const DELETE_DOCUMENTS = 'DELETE FROM memo.documents WHERE workspace_id = $1';
const DELETE = 'DELETE FROM memo.workspaces WHERE id = $1';

@Injectable()
export class WorkspacesService {
  constructor(
    private readonly database: Database,
    @Inject(WORKSPACES_CONFIG) private readonly config: WorkspacesConfig,
  ) {}

  /** Throws 409 if the account has created too many workspaces. */
  async create({ accountId }: Caller, { name }: WorkspaceDto): Promise<WorkspaceResponse> {
    const workspaceId = newId('ws');
    await this.database.transaction(async (sql) => {
      await this.requireFreeSlot(sql, accountId);
      await sql.query(INSERT, [workspaceId, name, accountId]);
      await sql.query(INSERT_ADMIN, [workspaceId, accountId]);
    });
    return this.find({ workspaceId, accountId, role: 'admin', keyId: null });
  }

  async list({ accountId }: Caller, query: PageQuery): Promise<WorkspaceListResponse> {
    const read = async (after: Position | null, count: number) => {
      const values = [accountId, after?.at ?? null, after?.id ?? null, count];
      return (await this.database.query<WorkspaceRow & { position: Position }>(LIST, values)).rows;
    };
    const { rows, nextCursor } = await readPage(`workspaces:${accountId}`, query, read);
    return { workspaces: rows.map((row) => responseOf(row, row.role)), next_cursor: nextCursor };
  }

  async find({ workspaceId, accountId, role }: Member): Promise<WorkspaceResponse> {
    const { rows } = await this.database.query<WorkspaceRow>(FIND, [workspaceId, accountId]);
    if (!rows[0]) throw workspaceNotFound();
    return responseOf(rows[0], role);
  }

  async rename(member: Member, { name }: WorkspaceDto): Promise<WorkspaceResponse> {
    await this.database.transaction(async (sql) => {
      // The update takes the lock under which roles change. Taking the lock of the role first would deadlock with a
      // change of roles.
      await sql.query(RENAME, [member.workspaceId, name]);
      await requireRole(sql, member, 'admin');
    });
    return this.find(member);
  }

  async remove(member: Member): Promise<void> {
    await this.database.transaction(async (sql) => {
      await lockAsAdmin(sql, member, LOCK_EXCLUSIVELY);
      await discardWorkspace(sql, member.workspaceId);
      // Documents first: answers that are being stored lock documents and then wait for the workspace.
      await sql.query(DELETE_DOCUMENTS, [member.workspaceId]);
      await sql.query(DELETE, [member.workspaceId]);
    });
  }

  private async requireFreeSlot(sql: Sql, accountId: string): Promise<void> {
    await sql.query(LOCK_CREATOR, [accountId]);
    const { rows } = await sql.query<{ count: number }>(COUNT_CREATED, [accountId]);
    const { maxWorkspacesPerAccount } = this.config;
    if (rows[0]!.count >= maxWorkspacesPerAccount)
      throw new ConflictException(
        `an account makes ${maxWorkspacesPerAccount} workspaces at most; delete one first`,
      );
  }
}

const responseOf = (row: WorkspaceRow, role: WorkspaceRole): WorkspaceResponse => ({
  id: row.id,
  name: row.name,
  role,
  created_by: row.created_by,
  document_count: row.documents,
  bytes: row.bytes,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString(),
});
