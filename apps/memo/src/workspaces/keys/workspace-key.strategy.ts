import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import {
  type AuthenticateOptions,
  type Caller,
  type CredentialRegistration,
  CredentialStrategy,
  hashSecretKey,
  type Identity,
  identityOf,
  type Role,
} from '@inference/guards';
import { type Request } from 'express';
import { KEYS_CONFIG, type KeysConfig } from './keys.config';
import { isWorkspaceKey } from './workspace-key';

declare module '@inference/guards' {
  interface CredentialKinds {
    /** A key of a memo workspace (`sk_…`) in the header `X-API-Key`. */
    workspace_key: true;
  }
  interface Caller {
    /** Set if the credential was a workspace key; the account is the one that created the key. */
    workspaceKey?: { id: string; workspaceId: string };
  }
}

interface KeyRow {
  id: string;
  workspace_id: string;
  account_id: string;
  role: Role;
}

const HEADER = 'X-API-Key';
const FIND = `
  SELECT k.id, k.workspace_id, k.account_id, a.role
  FROM memo.keys k JOIN accounts.accounts a ON a.id = k.account_id WHERE k.key_hash = $1`;
const TOUCH = `
  UPDATE memo.keys SET last_used_at = now()
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '10 seconds')`;

/** Workspace keys. Queries the database for each request, so that a deleted key is refused at once. */
@Injectable()
class WorkspaceKeyStrategy extends CredentialStrategy {
  constructor(
    private readonly database: Database,
    @Inject(KEYS_CONFIG) private readonly config: KeysConfig,
  ) {
    super('workspace-key');
  }

  override async validate(
    request: Request,
    { accepts, authorization }: AuthenticateOptions,
  ): Promise<Identity | null> {
    const key = request.get(HEADER);
    if (authorization || key === undefined || !accepts.includes('workspace_key')) return null;
    return identityOf(await this.find(key));
  }

  private async find(key: string): Promise<Caller | null> {
    if (!isWorkspaceKey(key)) return null;
    const { rows } = await this.database.query<KeyRow>(FIND, [hashSecretKey(key, this.config.hashSecret)]);
    const row = rows[0];
    if (!row) return null;
    // The time of the last use is informative only: it must not delay or fail a request.
    this.database.query(TOUCH, [row.id]).catch(() => undefined);
    return {
      accountId: row.account_id,
      role: row.role,
      workspaceKey: { id: row.id, workspaceId: row.workspace_id },
    };
  }
}

/** Registers the kind `workspace_key`. */
export const WORKSPACE_KEY_CREDENTIALS: CredentialRegistration = {
  kinds: { workspace_key: { credential: 'a workspace key', place: 'X-API-Key' } },
  strategies: [WorkspaceKeyStrategy],
};
