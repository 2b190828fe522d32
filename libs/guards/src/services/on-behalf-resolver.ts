import { Injectable } from '@nestjs/common';
import { Database, NotificationChannel } from '@inference/database';
import { findAccountWithKey } from '../accounts/accounts.repository';
import { type Caller } from '../caller';
import { callerCache } from '../caching/caller-cache';
import { type CredentialCache } from '../caching/credential-cache';

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
    const account = await findAccountWithKey(this.database, accountId, apiKeyId);
    if (!account) return null;
    const { role, apiKey } = account;
    if (apiKeyId === undefined) return { accountId, role };
    if (!apiKey) return null;
    const { id, spendLimitPicos, allowedModels } = apiKey;
    return { accountId, role, apiKey: { id, spendLimited: spendLimitPicos !== null, allowedModels } };
  }
}
