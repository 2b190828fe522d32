import { Inject, Injectable } from '@nestjs/common';
import { SESSION_COOKIE } from '@inference/credentials';
import { type CookieOptions, type Response } from 'express';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { type ChallengeView, type SessionView } from './auth.dto';

/** The cookie `session`, by which the router's cost report knows a browser. */
@Injectable()
export class SessionCookie {
  private readonly options: CookieOptions;

  constructor(@Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig) {
    this.options = {
      httpOnly: true,
      sameSite: 'lax',
      secure: config.NODE_ENV === 'production',
      path: '/',
      ...(config.COOKIE_DOMAIN ? { domain: config.COOKIE_DOMAIN } : {}),
    };
  }

  /** Sets the cookie when a sign-in is complete; a challenge is no session yet. */
  set<View extends SessionView | ChallengeView>(response: Response, view: View): View {
    if ('token' in view) {
      const maxAge = this.config.SESSION_TTL_SECONDS * 1000;
      response.cookie(SESSION_COOKIE, view.token, { ...this.options, maxAge });
    }
    return view;
  }

  clear(response: Response): void {
    response.clearCookie(SESSION_COOKIE, this.options);
  }
}
