import { Injectable } from '@nestjs/common';
import { Database, NotificationChannel } from '@inference/database';
import { type Caller, type Role } from '../caller';
import { callerCache } from '../caching/caller-cache';
import { type CredentialCache } from '../caching/credential-cache';

interface AccountRow {
  role: Role;
  key_id: string | null;
  spend_limited: boolean;
  allowed_models: string[] | null;
}

const FIND = `
  SELECT a.role, k.id AS key_id, k.spend_limit_picos IS NOT NULL AS spend_limited, k.allowed_models
  FROM accounts.accounts a
  LEFT JOIN accounts.api_keys k ON k.account_id = a.id AND k.id = $2 AND k.deleted_at IS NULL
  WHERE a.id = $1`;

/** Finds the account on whose behalf a service acts. A deleted key is refused at once. */
@Injectable()
export class OnBehalfResolver {
  private readonly cache: CredentialCache<Caller>;

  constructor(
    private readonly database: Database,
    channel: NotificationChannel,
  ) {
    this.cache = callerCache(channel);
  }

  /** Returns null for an unknown account or key. @param apiKeyId a key of the account; undefined: no key */
  resolve(accountId: string, apiKeyId: string | undefined): Promise<Caller | null> {
    return this.cache.get(JSON.stringify([accountId, apiKeyId]), () => this.lookUp(accountId, apiKeyId));
  }

  private async lookUp(accountId: string, apiKeyId: string | undefined): Promise<Caller | null> {
    const { rows } = await this.database.query<AccountRow>(FIND, [accountId, apiKeyId ?? null]);
    const row = rows[0];
    if (!row) return null;
    if (apiKeyId === undefined) return { accountId, role: row.role };
    if (row.key_id === null) return null;
    const apiKey = { id: row.key_id, spendLimited: row.spend_limited, allowedModels: row.allowed_models };
    return { accountId, role: row.role, apiKey };
  }
}
