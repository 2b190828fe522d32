import { type CookieNames } from '@inference/config';
import { Database, NotificationChannel } from '@inference/database';
import { type AllowedOrigins, readCookie } from '@inference/http';
import { ForbiddenException, Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { type Request } from 'express';
import { type JWTPayload } from 'jose';
import { ExtractJwt } from 'passport-jwt';
import { CallerCache } from '../credential-cache';
import { type Caller, SUSPENDED } from '../caller';
import { CREDENTIALS_OPTIONS, type CredentialsOptions, type StaffTwoFactor } from '../credentials.options';
import { type CredentialRegistration, type Identity, identityOf } from '../credential.strategy';
import { SessionKeyProvider, SessionTokenStrategy, type TokenPlace } from './session-token.strategy';
import { findSession } from '../credentials.repository';

const READING = new Set(['GET', 'HEAD', 'OPTIONS']);
/** `none` means that the user started the request, for example from a bookmark. */
const OWN_SITE = new Set(['same-origin', 'none']);

/**
 * Whether a page of another origin than the service's own or a configured one sent the request. Browsers state this in
 * `Sec-Fetch-Site`; older ones and those without TLS in `Origin`. A request with neither comes from no page.
 */
export function isFromForeignPage(request: Request, origins: AllowedOrigins | undefined): boolean {
  const origin = request.get('Origin');
  // `*` allows pages to read public answers, not to use sessions.
  if (origin !== undefined && Array.isArray(origins) && origins.includes(origin)) return false;
  const site = request.get('Sec-Fetch-Site');
  if (site !== undefined) return !OWN_SITE.has(site);
  return origin !== undefined && origin !== `${request.protocol}://${request.host}`;
}

/**
 * Whether a request may use the session cookie, which browsers add to every request. A request that changes data must come from
 * a page of this origin or of a configured one. A client that does not say where its request comes from is no browser and should
 * use the header `Authorization`.
 */
function mayUseCookie(request: Request, origins: AllowedOrigins | undefined): boolean {
  if (READING.has(request.method)) return true;
  const isFromPage = request.get('Origin') !== undefined || request.get('Sec-Fetch-Site') !== undefined;
  return isFromPage && !isFromForeignPage(request, origins);
}

/** How long an ended session stays valid if its notification is lost. */
const CACHE_SECONDS = 10;

/** Finds the caller of a session in the database. */
@Injectable()
export class SessionVerifier {
  private readonly cache: CallerCache<Caller>;
  private readonly staffTwoFactor: StaffTwoFactor;

  constructor(
    private readonly database: Database,
    @Inject(CREDENTIALS_OPTIONS) options: CredentialsOptions,
    channel: NotificationChannel,
  ) {
    if (!options.STAFF_2FA) throw new Error('An app that accepts sessions needs STAFF_2FA.');
    this.staffTwoFactor = options.STAFF_2FA;
    this.cache = new CallerCache(
      channel,
      (caller: Caller) => caller,
      (options.sessionCacheSeconds ?? CACHE_SECONDS) * 1000,
    );
  }

  /**
   * Returns null if the session of a verified token has ended or is not the session of the token's account.
   * @param claims the claims of a token whose signature, issuer, audience and times are valid
   */
  async verify({ sid, sub, exp }: JWTPayload): Promise<Caller | null> {
    if (typeof sid !== 'string' || typeof sub !== 'string' || exp === undefined) return null;
    // The account is a part of the key: an entry is of no use to a token of another account.
    return this.cache.get(JSON.stringify([sid, sub]), () => this.lookUp(sid, sub));
  }

  private async lookUp(sessionId: string, accountId: string): Promise<Caller | null> {
    const session = await findSession(this.database, sessionId, accountId);
    if (!session) return null;
    const { role, secondFactor, suspendedAt } = session;
    if (suspendedAt) return { accountId, role: 'user', sessionId, ...SUSPENDED };
    const isLacking = role !== 'user' && secondFactor === null && this.staffTwoFactor === 'required';
    return isLacking
      ? { accountId, role: 'user', sessionId, lacksSecondFactor: true }
      : { accountId, role, sessionId };
  }
}

const HEADER: TokenPlace = {
  name: 'session',
  kind: 'session',
  tokenOf: ExtractJwt.fromAuthHeaderAsBearerToken(),
};

const QUERY: TokenPlace = {
  name: 'session-query',
  kind: 'session_query',
  tokenOf: ({ headers, query }: Request) =>
    headers.authorization === undefined && typeof query.token === 'string' ? query.token : null,
};

const inCookie = (names: CookieNames | undefined): TokenPlace => ({
  name: 'session-cookie',
  kind: 'session_cookie',
  tokenOf: ({ headers: { authorization, cookie } }: Request) =>
    authorization === undefined && names ? (readCookie(cookie, names) ?? null) : null,
});

/** A session JWT as Bearer. */
@Injectable()
export class SessionStrategy extends PassportStrategy(SessionTokenStrategy) {
  constructor(
    private readonly sessions: SessionVerifier,
    keys: SessionKeyProvider,
    @Inject(CREDENTIALS_OPTIONS) { SITE }: CredentialsOptions,
  ) {
    super(HEADER, keys, SITE);
  }

  override async validate(_request: Request, claims: JWTPayload): Promise<Identity | null> {
    return identityOf(await this.sessions.verify(claims));
  }
}

/** A session JWT as the query parameter `token`. */
@Injectable()
class SessionQueryStrategy extends PassportStrategy(SessionTokenStrategy) {
  constructor(
    private readonly sessions: SessionVerifier,
    keys: SessionKeyProvider,
    @Inject(CREDENTIALS_OPTIONS) { SITE }: CredentialsOptions,
  ) {
    super(QUERY, keys, SITE);
  }

  override async validate(_request: Request, claims: JWTPayload): Promise<Identity | null> {
    return identityOf(await this.sessions.verify(claims));
  }
}

/** A session JWT in the session cookie. */
@Injectable()
class SessionCookieStrategy extends PassportStrategy(SessionTokenStrategy) {
  constructor(
    private readonly sessions: SessionVerifier,
    keys: SessionKeyProvider,
    @Inject(CREDENTIALS_OPTIONS) private readonly options: CredentialsOptions,
  ) {
    super(inCookie(options.sessionCookie), keys, options.SITE);
  }

  /** Throws 403 if another site's page uses the session cookie. */
  override async validate(request: Request, claims: JWTPayload): Promise<Identity | null> {
    if (!mayUseCookie(request, this.options.CORS_ORIGINS))
      throw new ForbiddenException('the session cookie is not accepted from another site');
    return identityOf(await this.sessions.verify(claims));
  }
}

/** Registers the kinds `session`, `session_query` and `session_cookie`. */
export const SESSION_CREDENTIALS: CredentialRegistration = {
  kinds: {
    session: { credential: 'a session token', place: 'Authorization: Bearer' },
    session_query: { credential: 'a session token', place: '?token=' },
    session_cookie: { credential: 'a session token', place: 'session cookie' },
  },
  strategies: [SessionStrategy, SessionQueryStrategy, SessionCookieStrategy],
  providers: [SessionVerifier, SessionKeyProvider],
};
