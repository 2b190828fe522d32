import { ForbiddenException, Inject, Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { type CookieNames } from '@inference/config';
import { readCookie } from '@inference/http';
import { type Request } from 'express';
import { type JWTPayload } from 'jose';
import { ExtractJwt } from 'passport-jwt';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from '../credentials.options';
import { type CredentialRegistration, type Identity, identityOf } from '../strategies/credential.strategy';
import { mayUseCookie } from './cross-site';
import { SessionKeyProvider } from './session-key-provider';
import { SessionTokenStrategy, type TokenPlace } from './session-token.strategy';
import { SessionVerifier } from './session-verifier';

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
