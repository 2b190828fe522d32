import { hash } from 'node:crypto';
import { Database, NotificationChannel } from '@inference/database';
import { Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { callerCache, type CallerCache } from '../credential-cache';
import { type Caller } from '../caller';
import { type KeyKind } from '../credentials.entity';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from '../credentials.options';
import { possibleHashes } from '../secret-key';
import {
  type AuthenticateOptions,
  type CredentialRegistration,
  CredentialStrategy,
  type Identity,
  identityOf,
} from '../credential.strategy';
import {
  callerIfValid,
  holderOf,
  type KnownCaller,
  knownCallerOf,
  requireAllowedAddress,
} from '../known-caller';
import { findApiKey, type FoundApiKey, isApiKey, rehashApiKey, touchApiKey } from '../credentials.repository';

/** Finds the caller of an API key. A deletion takes effect at once through NOTIFY `credentials`. */
@Injectable()
export class ApiKeyVerifier {
  private readonly cache: CallerCache<KnownCaller>;
  /** Each stores that a key was used since it was looked up. */
  private readonly uses = new WeakMap<KnownCaller, () => void>();

  constructor(
    private readonly database: Database,
    @Inject(CREDENTIALS_OPTIONS) private readonly options: CredentialsOptions,
    channel: NotificationChannel,
  ) {
    this.cache = callerCache(channel);
  }

  /**
   * Null for an unknown key. Throws 401 for one that is disabled or has expired, and 403 for one that must not be used from this address.
   */
  async verify(key: string, address?: string): Promise<Caller | null> {
    // A plain digest costs an eighth of the keyed one (0.4 against 3.4 µs), which only the database needs.
    const known = await this.cache.get(hash('sha256', key, 'base64'), () => this.lookUp(key, 'api'));
    return this.use(known, address);
  }

  /** As `verify`, for a management key. They are used rarely, so that none is cached. */
  async verifyManagementKey(key: string, address?: string): Promise<Caller | null> {
    return this.use(await this.lookUp(key, 'management'), address);
  }

  private use(known: KnownCaller | null, address: string | undefined): Caller | null {
    const caller = known && callerIfValid(known);
    if (!caller) return null;
    requireAllowedAddress(known, address);
    this.uses.get(known)?.();
    return caller;
  }

  private async lookUp(key: string, kind: KeyKind): Promise<KnownCaller | null> {
    if (!isApiKey(key, kind)) return null;
    const hashes = possibleHashes(key, this.options);
    const askedAtMillis = performance.now();
    const found = await findApiKey(this.database, hashes);
    if (!found || found.key.suspendedAt) return null;
    const { accountId, account } = found.key;
    // A key carries no role of the staff: it may lie in any script or repository.
    const holder = holderOf(accountId, { ...account, role: 'user' });
    const known = knownCallerOf(holder, found.key, found, askedAtMillis);
    this.uses.set(known, () => {
      this.uses.delete(known);
      this.recordUse(found, hashes[0]).catch(() => undefined);
    });
    return known;
  }

  /** Must not delay or fail a request: the time is informative only, and the next use stores the hash as well. */
  private async recordUse(
    { key: { id, keyHash }, isFormer }: FoundApiKey,
    currentHash: Buffer,
  ): Promise<void> {
    if (isFormer || !keyHash || keyHash.equals(currentHash)) await touchApiKey(this.database, id);
    // A time of use says that the key is stored under the current secret: operators count the others by it.
    else if (!this.options.keepsKeyHashes)
      await rehashApiKey(this.database, id, { from: keyHash, to: currentHash });
  }
}

/** Management keys, and API keys: `api_key` in the scheme Bearer, `api_key_scheme` in the scheme ApiKey, `api_key_header` in a header of their own. */
@Injectable()
class ApiKeyStrategy extends CredentialStrategy {
  constructor(private readonly apiKeys: ApiKeyVerifier) {
    super('api-key');
  }

  override async validate(
    request: Request,
    { accepts, authorization }: AuthenticateOptions,
  ): Promise<Identity | null> {
    if (!authorization) {
      const key = accepts.includes('api_key_header') ? keyInHeader(request) : undefined;
      return key === undefined ? null : identityOf(await this.apiKeys.verify(key, request.ip));
    }
    const kind = authorization.scheme === 'apikey' ? 'api_key_scheme' : 'api_key';
    if (accepts.includes(kind))
      return identityOf(await this.apiKeys.verify(authorization.secret, request.ip));
    if (authorization.scheme !== 'bearer' || !accepts.includes('management_key')) return null;
    return identityOf(await this.apiKeys.verifyManagementKey(authorization.secret, request.ip));
  }
}

/** As Anthropic's SDKs send it, or as those for Azure do. Some clients send the other one empty. */
const keyInHeader = (request: Request): string | undefined =>
  request.get('X-API-Key') || request.get('api-key');

/** Registers the kinds `api_key`, `api_key_header`, `api_key_scheme` and `management_key`. */
export const API_KEY_CREDENTIALS: CredentialRegistration = {
  kinds: {
    api_key: { credential: 'an API key', place: 'Authorization: Bearer' },
    api_key_header: { credential: 'an API key', place: 'X-API-Key' },
    api_key_scheme: { credential: 'an API key', place: 'Authorization: ApiKey' },
    management_key: { credential: 'a management key', place: 'Authorization: Bearer' },
  },
  strategies: [ApiKeyStrategy],
  providers: [ApiKeyVerifier],
};
