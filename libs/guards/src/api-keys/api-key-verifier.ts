import { hash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Database, NotificationChannel } from '@inference/database';
import { type Caller, type Role } from '../caller';
import { callerCache } from '../caching/caller-cache';
import { type CredentialCache } from '../caching/credential-cache';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from '../credentials.options';
import { hashSecretKey } from '../secret-keys/secret-key';
import { isApiKey } from './api-key';

interface KeyRow {
  id: string;
  account_id: string;
  role: Role;
  spend_limited: boolean;
  allowed_models: string[] | null;
}

const FIND = `
  SELECT k.id, k.account_id, a.role, k.spend_limit_picos IS NOT NULL AS spend_limited, k.allowed_models
  FROM accounts.api_keys k JOIN accounts.accounts a ON a.id = k.account_id WHERE k.key_hash = $1`;
const TOUCH = `
  UPDATE accounts.api_keys SET last_used_at = now()
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '10 seconds')`;

/** Finds the caller of an API key. A deletion takes effect at once through NOTIFY `credentials`. */
@Injectable()
export class ApiKeyVerifier {
  private readonly cache: CredentialCache<Caller>;

  constructor(
    private readonly database: Database,
    @Inject(CREDENTIALS_OPTIONS) private readonly options: CredentialsOptions,
    channel: NotificationChannel,
  ) {
    this.cache = callerCache(channel);
  }

  async verify(key: string): Promise<Caller | null> {
    // A plain digest costs an eighth of the keyed one (0.4 against 3.4 µs), which only the database needs.
    return this.cache.get(hash('sha256', key, 'base64'), () => this.lookUp(key));
  }

  private async lookUp(key: string): Promise<Caller | null> {
    if (!isApiKey(key)) return null;
    const keyHash = hashSecretKey(key, this.options.API_KEY_HASH_SECRET);
    const { rows } = await this.database.query<KeyRow>(FIND, [keyHash]);
    const row = rows[0];
    if (!row) return null;
    // The time of the last use is informative only: it must not delay or fail a request.
    this.database.query(TOUCH, [row.id]).catch(() => undefined);
    return {
      accountId: row.account_id,
      role: row.role,
      apiKey: { id: row.id, spendLimited: row.spend_limited, allowedModels: row.allowed_models },
    };
  }
}
