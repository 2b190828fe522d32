import { createHash, timingSafeEqual } from 'node:crypto';
import { Database, NotificationChannel } from '@inference/database';
import { DetailedException } from '@inference/http';
import { Inject, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { findAccountWithKey } from './credentials.repository';
import { callerCache, type CallerCache } from './credential-cache';
import { callerIfValid, holderOf, type KnownCaller, knownCallerOf, knownWithoutKey } from './known-caller';
import { type Caller } from './caller';
import { type CredentialKind } from './credentials.decorators';
import {
  type AuthenticateOptions,
  type CredentialRegistration,
  CredentialStrategy,
  type Identity,
} from './credential.strategy';

/**
 * on_behalf_unknown: the account or its key does not exist, although the service's own credential is valid;
 * on_behalf_missing: the service names no account; on_behalf_forbidden: a customer names an account.
 */
type OnBehalfFault = 'on_behalf_unknown' | 'on_behalf_missing' | 'on_behalf_forbidden';

const STATUSES: Record<OnBehalfFault, number> = {
  on_behalf_unknown: 401,
  on_behalf_missing: 400,
  on_behalf_forbidden: 403,
};
const MESSAGES: Record<OnBehalfFault, string> = {
  on_behalf_unknown: 'the account or API key that the request is made on behalf of is not valid',
  on_behalf_missing: 'the header X-On-Behalf-Of is missing',
  on_behalf_forbidden: 'only the services of the platform may act on behalf of an account',
};

/** Refuses a call on behalf of an account. */
export class OnBehalfException extends DetailedException {
  constructor(readonly code: OnBehalfFault) {
    super(STATUSES[code], MESSAGES[code], { code });
  }
}

/**
 * Finds the account on whose behalf a service acts. A deleted key is refused at once. From which addresses a key may be used was
 * checked by the service that was called with it.
 */
@Injectable()
export class OnBehalfResolver {
  private readonly cache: CallerCache<KnownCaller>;

  constructor(
    private readonly database: Database,
    channel: NotificationChannel,
  ) {
    this.cache = callerCache(channel);
  }

  /**
   * Returns null for an unknown account or key. Throws 401 for a key that is disabled or has expired.
   * @param apiKeyId a key of the account; undefined: no key
   */
  async resolve(accountId: string, apiKeyId: string | undefined): Promise<Caller | null> {
    const cacheKey = JSON.stringify([accountId, apiKeyId]);
    const known = await this.cache.get(cacheKey, () => this.lookUp(accountId, apiKeyId));
    return known && callerIfValid(known);
  }

  private async lookUp(accountId: string, apiKeyId: string | undefined): Promise<KnownCaller | null> {
    const askedAtMillis = performance.now();
    const account = await findAccountWithKey(this.database, accountId, apiKeyId);
    if (!account) return null;
    const { apiKey, endsInMillis } = account;
    const holder = holderOf(accountId, account);
    if (apiKeyId === undefined) return knownWithoutKey(holder);
    if (!apiKey || apiKey.suspendedAt) return null;
    const state = { endsInMillis, isDisabled: apiKey.disabledAt !== null, isFormer: false };
    return knownCallerOf(holder, apiKey, state, askedAtMillis);
  }
}

const SERVICE_SECRETS = Symbol('SERVICE_SECRETS');

/** Secrets of each calling service, by the name of the service. All secrets of a service are valid. */
type ServiceSecrets = Record<string, string[]>;

const digest = (secret: string) => createHash('sha256').update(secret).digest();

/** Identifies the platform's own services by their configured secrets. Keeps only digests of the secrets. */
@Injectable()
class ServiceCredentials {
  private readonly known: { service: string; digest: Buffer }[];

  constructor(@Inject(SERVICE_SECRETS) secrets: ServiceSecrets) {
    this.known = Object.entries(secrets).flatMap(([service, values]) =>
      values.map((secret) => ({ service, digest: digest(secret) })),
    );
  }

  /** Returns the name of the service whose secret this is, or null. */
  identify(secret: string): string | null {
    const offered = digest(secret);
    // Digests have equal length, so the duration of the comparison reveals nothing about the secret.
    return this.known.find((one) => timingSafeEqual(one.digest, offered))?.service ?? null;
  }
}

const ON_BEHALF_OF = 'X-On-Behalf-Of';
const ON_BEHALF_OF_KEY = 'X-On-Behalf-Of-Key';

/** Secrets of the platform's own services: `service` for no account, `on_behalf` for the account that a header names. */
@Injectable()
class ServiceCallerStrategy extends CredentialStrategy {
  constructor(
    private readonly services: ServiceCredentials,
    private readonly onBehalf: OnBehalfResolver,
  ) {
    super('service');
  }

  /** Throws OnBehalfException if the service names no account, or one that is not valid. */
  override async validate(
    request: Request,
    { accepts, authorization }: AuthenticateOptions,
  ): Promise<Identity | null> {
    if (authorization?.scheme !== 'bearer') return null;
    const service = this.services.identify(authorization.secret);
    if (service === null) return null;
    request.service = service;
    const onBehalf = accepts.includes('on_behalf');
    if (accepts.includes('service') && !(onBehalf && namesAccount(request))) return {};
    if (!onBehalf) return null;
    const accountId = request.get(ON_BEHALF_OF);
    if (!accountId) throw new OnBehalfException('on_behalf_missing');
    const caller = await this.onBehalf.resolve(accountId, request.get(ON_BEHALF_OF_KEY));
    if (!caller) throw new OnBehalfException('on_behalf_unknown');
    return { caller: { ...caller, service } };
  }

  /** Refuses a customer that sends the header: ignoring it would charge another account than the header names. */
  checkCaller(caller: Caller, request: Request, accepts: readonly CredentialKind[]): void {
    if (caller.service === undefined && accepts.includes('on_behalf') && namesAccount(request))
      throw new OnBehalfException('on_behalf_forbidden');
  }
}

const namesAccount = (request: Request): boolean =>
  request.get(ON_BEHALF_OF) !== undefined || request.get(ON_BEHALF_OF_KEY) !== undefined;

/** Registers the kinds `service` and `on_behalf` for the services that have these secrets. */
export const serviceCallerCredentials = (secrets: ServiceSecrets): CredentialRegistration => ({
  // Only the platform's own services use them.
  kinds: {},
  strategies: [ServiceCallerStrategy],
  providers: [ServiceCredentials, OnBehalfResolver, { provide: SERVICE_SECRETS, useValue: secrets }],
});
