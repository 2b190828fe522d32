import { Inject, Injectable } from '@nestjs/common';
import { parseCookie } from 'cookie';
import { type CookieOptions, type Request, type Response } from 'express';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { FLOW_SECONDS } from './flows';

const NAME = 'oauth_flow';

/** Ties a flow to the browser that began it; Lax, because the way back from the provider is a link elsewhere. */
@Injectable()
export class FlowCookie {
  private readonly options: CookieOptions;

  constructor(@Inject(CONSOLE_CONFIG) config: ConsoleConfig) {
    this.options = {
      httpOnly: true,
      sameSite: 'lax',
      secure: config.NODE_ENV === 'production',
      path: '/api/auth/oauth',
    };
  }

  set(response: Response, sealed: string): void {
    response.cookie(NAME, sealed, { ...this.options, maxAge: FLOW_SECONDS * 1000 });
  }

  /** Reads it and clears it: whatever comes of it, it has been used. */
  take(request: Request, response: Response): string | undefined {
    response.clearCookie(NAME, this.options);
    return parseCookie(request.headers.cookie ?? '')[NAME];
  }
}
