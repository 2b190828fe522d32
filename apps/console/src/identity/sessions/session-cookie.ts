import { Inject, Injectable } from '@nestjs/common';
import { SESSION_COOKIE } from '@inference/guards';
import { type CookieOptions, type Response } from 'express';
import { SESSIONS_CONFIG, type SessionsConfig } from './sessions.config';

/** The cookie `session`. The router-cost service accepts it as the credential of a browser. */
@Injectable()
export class SessionCookie {
  private readonly options: CookieOptions;

  constructor(@Inject(SESSIONS_CONFIG) private readonly config: SessionsConfig) {
    this.options = {
      httpOnly: true,
      sameSite: 'lax',
      secure: config.isCookieSecure,
      path: '/',
      ...(config.cookieDomain ? { domain: config.cookieDomain } : {}),
    };
  }

  /** @param token of the session that has just been opened */
  set(response: Response, token: string): void {
    const maxAge = this.config.ttlSeconds * 1000;
    response.cookie(SESSION_COOKIE, token, { ...this.options, maxAge });
  }

  clear(response: Response): void {
    response.clearCookie(SESSION_COOKIE, this.options);
  }
}
