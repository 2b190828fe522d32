import { ConflictException, ForbiddenException, Inject, Injectable, NotFoundException } from '@nestjs/common';
import { hashSecretKey } from '@inference/guards';
import { Database, newId } from '@inference/database';
import { type PageQuery, type Position, readPage } from '@inference/http';
import { type Member } from '../../access/member';
import { isAtLeast, type WorkspaceRole } from '../../access/workspace-role';
import { lockMembers } from '../members/member-lock';
import {
  type CreatedKeyResponse,
  type CreateKeyDto,
  type KeyListResponse,
  type KeyResponse,
} from './key.dto';
import { KEYS_CONFIG, type KeysConfig } from './keys.config';
import { createWorkspaceKey } from './workspace-key';

interface KeyRow {
  id: string;
  name: string;
  prefix: string;
  role: WorkspaceRole;
  effective_role: WorkspaceRole;
  account_id: string;
  created_at: Date;
  last_used_at: Date | null;
}

/** Bounds the list of keys, which clients read as a whole; a member needs one key per program. */
const MAX_KEYS_PER_MEMBER = 100;

const COUNT = 'SELECT count(*) FROM memo.keys WHERE workspace_id = $1 AND account_id = $2';
const INSERT = `
  INSERT INTO memo.keys (id, workspace_id, account_id, name, prefix, key_hash, role) VALUES ($1, $2, $3, $4, $5, $6, $7)
  RETURNING *, role AS effective_role`;
const LIST = `
  SELECT k.*, least(k.role, m.role) AS effective_role, json_build_object(
    'at', to_char(k.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'id', k.id) AS position
  FROM memo.keys k JOIN memo.members m USING (workspace_id, account_id)
  WHERE k.workspace_id = $1 AND (k.account_id = $2 OR $3) AND ($4::timestamptz IS NULL OR (k.created_at, k.id) < ($4, $5))
  ORDER BY k.created_at DESC, k.id DESC LIMIT $6`;
const DELETE = `
  DELETE FROM memo.keys WHERE id = $3 AND workspace_id = $1 AND (account_id = $2 OR EXISTS (
    SELECT FROM memo.members WHERE workspace_id = $1 AND account_id = $2 AND role = 'admin'))`;

@Injectable()
export class KeysService {
  constructor(
    private readonly database: Database,
    @Inject(KEYS_CONFIG) private readonly config: KeysConfig,
  ) {}

  /** Throws 403 for a role above the caller's own, and 409 if the caller has too many keys. */
  create(member: Member, { name, role }: CreateKeyDto): Promise<CreatedKeyResponse> {
    const { key, prefix } = createWorkspaceKey();
    const hash = hashSecretKey(key, this.config.hashSecret);
    return this.database.transaction(async (sql) => {
      const own = await lockMembers(sql, member);
      if (!isAtLeast(own, role)) throw new ForbiddenException(`role: must not be above your own, ${own}`);
      const { workspaceId, accountId } = member;
      const count = await sql.query<{ count: bigint }>(COUNT, [workspaceId, accountId]);
      if (Number(count.rows[0]!.count) >= MAX_KEYS_PER_MEMBER)
        throw new ConflictException(`a member has ${MAX_KEYS_PER_MEMBER} keys at most; delete one first`);
      const values = [newId('wk'), workspaceId, accountId, name, prefix, hash, role];
      return { ...responseOf((await sql.query<KeyRow>(INSERT, values)).rows[0]!), key };
    });
  }

  async list({ workspaceId, accountId, role }: Member, query: PageQuery): Promise<KeyListResponse> {
    const read = async (after: Position | null, count: number) => {
      const values = [workspaceId, accountId, role === 'admin', after?.at ?? null, after?.id ?? null, count];
      return (await this.database.query<KeyRow & { position: Position }>(LIST, values)).rows;
    };
    const { rows, nextCursor } = await readPage(`keys:${workspaceId}:${accountId}`, query, read);
    return { keys: rows.map(responseOf), next_cursor: nextCursor };
  }

  async remove({ workspaceId, accountId }: Member, id: string): Promise<void> {
    const { rowCount } = await this.database.query(DELETE, [workspaceId, accountId, id]);
    if (rowCount === 0) throw new NotFoundException('no such key');
  }
}

const responseOf = (row: KeyRow): KeyResponse => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  role: row.role,
  effective_role: row.effective_role,
  created_by: row.account_id,
  created_at: row.created_at.toISOString(),
  last_used_at: row.last_used_at?.toISOString() ?? null,
});
