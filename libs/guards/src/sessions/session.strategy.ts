import { ForbiddenException, Inject, Injectable } from '@nestjs/common';
import { parseCookie } from 'cookie';
import { type Request } from 'express';
import { type CredentialKind } from '../credentials.decorators';
import { CREDENTIALS_OPTIONS, type CredentialsOptions } from '../credentials.options';
import {
  type CredentialRegistration,
  type CredentialStrategy,
  type Identity,
  identityOf,
  type PresentedCredential,
} from '../strategies/credential.strategy';
import { mayUseCookie } from './cross-site';
import { SessionVerifier } from './session-verifier';
import { SESSION_COOKIE } from './session-token';

/** Session tokens: `session` as Bearer, `session_query` as `?token=`, `session_cookie` in the session cookie. */
@Injectable()
class SessionStrategy implements CredentialStrategy {
  constructor(
    private readonly sessions: SessionVerifier,
    @Inject(CREDENTIALS_OPTIONS) private readonly options: CredentialsOptions,
  ) {}

  /** Throws 403 if another site's page uses the session cookie, 503 if the public keys are unavailable. */
  async identify(
    { authorization, request }: PresentedCredential,
    accepted: readonly CredentialKind[],
  ): Promise<Identity | null> {
    const token = authorization
      ? authorization.scheme === 'bearer' && accepted.includes('session') && authorization.secret
      : this.tokenOutsideAuthorization(request, accepted);
    return token ? identityOf(await this.sessions.verify(token)) : null;
  }

  private tokenOutsideAuthorization(
    request: Request,
    accepted: readonly CredentialKind[],
  ): string | undefined {
    const { token } = request.query;
    if (accepted.includes('session_query') && typeof token === 'string') return token;
    const { cookie } = request.headers;
    if (!accepted.includes('session_cookie') || cookie === undefined) return undefined;
    const cookieToken = parseCookie(cookie)[SESSION_COOKIE];
    if (cookieToken && !mayUseCookie(request, this.options.CORS_ORIGINS))
      throw new ForbiddenException('the session cookie is not accepted from another site');
    return cookieToken;
  }
}

/** Registers the kinds `session`, `session_query` and `session_cookie`. */
export const SESSION_CREDENTIALS: CredentialRegistration = {
  strategy: SessionStrategy,
  providers: [SessionVerifier],
};
