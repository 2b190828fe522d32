import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import {
  type AuthenticateOptions,
  type Caller,
  createSecretKey,
  type CredentialRegistration,
  CredentialStrategy,
  type Identity,
  identityOf,
  isSecretKey,
  type KeyHashSecrets,
  possibleHashes,
  SUSPENDED,
} from '@inference/guards';
import { type Request } from 'express';
import { type WorkspaceRole } from '../../tables/workspace.entity';
import { findKeyByHash, recordKeyUse, rehashKey } from './keys.repository';

export const KEYS_CONFIG = Symbol('KEYS_CONFIG');

/** How workspace keys are stored. */
export type KeysConfig = KeyHashSecrets;

export const keysConfig = (config: KeyHashSecrets): KeysConfig => ({
  API_KEY_HASH_SECRET: config.API_KEY_HASH_SECRET,
  API_KEY_HASH_OTHER_SECRET: config.API_KEY_HASH_OTHER_SECRET,
});

const PREFIX = 'sk_';

/** Creates a secret key of a workspace, `sk_…`, and the part of it that may be shown later. */
export const createWorkspaceKey = () => createSecretKey(PREFIX);

/** Whether a text has the form and the checksum of a workspace key. */
const isWorkspaceKey = (text: string) => isSecretKey(PREFIX, text);

declare module '@inference/guards' {
  interface CredentialKinds {
    /** A key of a memo workspace (`sk_…`) in the header `X-API-Key`. */
    workspace_key: true;
  }
  interface Caller {
    /** Set if the credential was a workspace key; the account is the one that created the key. */
    workspaceKey?: { id: string; workspaceId: string; role: WorkspaceRole };
  }
}

const HEADER = 'X-API-Key';
/** How often a process records the use of a key. Chosen: short enough to look current, and hardly a statement for each request. */
const RECORD_INTERVAL_MS = 10_000;
/** Bounds the memory; a process that sees more keys in use records some of them more often. */
const MAX_REMEMBERED_KEYS = 10_000;

/** Workspace keys. Queries the database for each request, so that a deleted key is refused at once. */
@Injectable()
class WorkspaceKeyStrategy extends CredentialStrategy {
  /** When this process recorded the use of each key last. */
  private readonly recordedAt = new Map<string, number>();

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
    const hashes = possibleHashes(key, this.config);
    const found = await findKeyByHash(this.database, hashes);
    if (!found) return null;
    const { id, workspaceId, accountId, role, accountRole, isSuspended, keyHash } = found;
    if (keyHash.equals(hashes[0])) this.recordUse(id);
    else rehashKey(this.database, id, hashes[0]).catch(() => undefined);
    const workspaceKey = { id, workspaceId, role };
    return { accountId, role: accountRole, workspaceKey, ...(isSuspended && SUSPENDED) };
  }

  /** The time of the last use is informative only: it must not delay or fail a request. */
  private recordUse(id: string): void {
    const now = Date.now();
    if (now - (this.recordedAt.get(id) ?? 0) < RECORD_INTERVAL_MS) return;
    if (this.recordedAt.size >= MAX_REMEMBERED_KEYS) this.recordedAt.clear();
    this.recordedAt.set(id, now);
    recordKeyUse(this.database, id).catch(() => undefined);
  }
}

/** Registers the kind `workspace_key`. */
export const WORKSPACE_KEY_CREDENTIALS: CredentialRegistration = {
  kinds: { workspace_key: { credential: 'a workspace key', place: 'X-API-Key' } },
  strategies: [WorkspaceKeyStrategy],
};
