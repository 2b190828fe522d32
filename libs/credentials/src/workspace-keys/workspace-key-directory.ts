import { Inject, Injectable } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type Caller, type Role } from '../caller';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from '../credentials.options';
import { hashSecretKey } from '../secret-key';
import { isWorkspaceKey } from './workspace-key';

interface KeyRow {
  id: string;
  workspace_id: string;
  account_id: string;
  role: Role;
}

const FIND = `
  SELECT k.id, k.workspace_id, k.account_id, a.role
  FROM memo.keys k JOIN accounts.accounts a ON a.id = k.account_id WHERE k.key_hash = $1`;
const TOUCH = `
  UPDATE memo.keys SET last_used_at = now()
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '10 seconds')`;

/** Finds the caller behind the key of a memo workspace. Asks the database each time: what was deleted is gone at once. */
@Injectable()
export class WorkspaceKeyDirectory {
  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CREDENTIALS_OPTIONS) private readonly options: CredentialsOptions,
  ) {}

  async find(key: string): Promise<Caller | null> {
    if (!isWorkspaceKey(key)) return null;
    const values = [hashSecretKey(key, this.options.API_KEY_HASH_SECRET)];
    const row = (await this.pool.query<KeyRow>(FIND, values)).rows[0];
    if (!row) return null;
    // When it was last used is a courtesy; it must not make a request slow or fail.
    this.pool.query(TOUCH, [row.id]).catch(() => undefined);
    return {
      accountId: row.account_id,
      role: row.role,
      workspaceKey: { id: row.id, workspaceId: row.workspace_id },
    };
  }
}
