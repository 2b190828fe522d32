import { type CookieNames } from '@inference/config';
import { readCookie } from '@inference/http';
import { Inject, Injectable } from '@nestjs/common';
import { type ApiResponseOptions } from '@nestjs/swagger';
import { type CookieOptions, type Request, type Response } from 'express';
import { SESSIONS_CONFIG, type SessionsConfig } from '../identity.config';

type Headers = NonNullable<ApiResponseOptions['headers']>;

const cookieHeaders = (description: string, required: boolean): Headers => ({
  'Set-Cookie': { description, required, schema: { type: 'string' } },
});

/** The cookies of a session, under their default names without the prefix of production. */
export const SESSION_COOKIES =
  'the cookie `session` with the token, which the router-cost service accepts (HttpOnly, SameSite=Lax), and the cookie `refresh`, with which `POST /api/auth/refresh` continues the session (HttpOnly, SameSite=Strict)';

/*
 * For the API document: the headers that SessionCookies sets.
 */

export const NEW_COOKIE_HEADERS = cookieHeaders(`Sets ${SESSION_COOKIES}.`, true);
export const OPTIONAL_COOKIE_HEADERS = cookieHeaders(`With a session: ${SESSION_COOKIES}.`, false);
export const CLEARED_COOKIE_HEADERS = cookieHeaders('Removes the cookies `session` and `refresh`.', true);

/** What a browser holds of a session. */
export interface SessionTokens {
  token: string;
  refreshToken: string;
}

/**
 * The two cookies of a session. The one with the session token is the credential of a browser at the router-cost service. The one
 * with the refresh token goes to `POST /api/auth/refresh` only.
 */
@Injectable()
export class SessionCookies {
  private readonly session: CookieOptions;
  private readonly refresh: CookieOptions;

  constructor(@Inject(SESSIONS_CONFIG) private readonly config: SessionsConfig) {
    const { sessionDomain, refreshPath, isSecure } = config.cookies;
    const common = { httpOnly: true, secure: isSecure };
    this.session = {
      ...common,
      sameSite: 'lax',
      path: '/',
      ...(sessionDomain !== undefined && { domain: sessionDomain }),
    };
    this.refresh = { ...common, sameSite: 'strict', path: refreshPath };
  }

  set(response: Response, { token, refreshToken }: SessionTokens): void {
    const { cookies, ttlSeconds, refreshTtlSeconds } = this.config;
    response.cookie(cookies.session.name, token, { ...this.session, maxAge: ttlSeconds * 1000 });
    response.cookie(cookies.refresh.name, refreshToken, {
      ...this.refresh,
      maxAge: refreshTtlSeconds * 1000,
    });
    clearFormer(response, cookies.session, this.session);
    clearFormer(response, cookies.refresh, this.refresh);
  }

  /** Sets the cookies of a complete sign-in, and returns what is left for the body of the answer. */
  admit<SignedIn extends SessionTokens>(
    response: Response,
    signedIn: SignedIn,
  ): Omit<SignedIn, 'refreshToken'> {
    this.set(response, signedIn);
    const { refreshToken: _inCookieOnly, ...body } = signedIn;
    return body;
  }

  clear(response: Response): void {
    const { session } = this.config.cookies;
    response.clearCookie(session.name, this.session);
    clearFormer(response, session, this.session);
    this.clearRefreshToken(response);
  }

  clearRefreshToken(response: Response): void {
    const { refresh } = this.config.cookies;
    response.clearCookie(refresh.name, this.refresh);
    clearFormer(response, refresh, this.refresh);
  }

  /** Throws AmbiguousCookieException if the request has two different ones. */
  refreshTokenOf(request: Request): string | undefined {
    return readCookie(request.headers.cookie, this.config.cookies.refresh);
  }
}

/** A refresh token that stayed under its former name would come again after it was replaced, as a stolen one does. */
function clearFormer(response: Response, { former }: CookieNames, options: CookieOptions): void {
  if (former !== undefined) response.clearCookie(former, options);
}
