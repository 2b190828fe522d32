import { Controller, Get, Header, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { type Caller, CurrentCaller, SESSION_COOKIE } from '@inference/credentials';
import { Public, ValidBody } from '@inference/http';
import { type CookieOptions, type Response } from 'express';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { TakesPassword } from '../rate-limit/rate-limits';
import {
  type Login,
  login,
  type Registration,
  registration,
  type SessionView,
  type UserView,
} from './auth.dto';
import { AuthService } from './auth.service';
import { SessionsService } from './sessions.service';

@Controller('api/auth')
export class AuthController {
  private readonly cookie: CookieOptions;

  constructor(
    private readonly auth: AuthService,
    private readonly sessions: SessionsService,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {
    this.cookie = {
      httpOnly: true,
      sameSite: 'lax',
      secure: config.NODE_ENV === 'production',
      path: '/',
      ...(config.COOKIE_DOMAIN ? { domain: config.COOKIE_DOMAIN } : {}),
    };
  }

  /** `{email, password, phone?, username?}` → 201 `{token, user: {id, email}}`; 403 when closed, 409 when taken. */
  @Post('register')
  @Public()
  @TakesPassword()
  @Header('Cache-Control', 'no-store')
  async register(
    @ValidBody(registration) body: Registration,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionView> {
    return this.withCookie(response, await this.auth.register(body));
  }

  /** `{identifier, password}` → `{token, user: {id, email}}`, and the cookie `session`; 401 (spec: Login). */
  @Post('login')
  @HttpCode(200)
  @Public()
  @TakesPassword()
  @Header('Cache-Control', 'no-store')
  async login(
    @ValidBody(login) body: Login,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionView> {
    return this.withCookie(response, await this.auth.login(body));
  }

  @Get('me')
  @Header('Cache-Control', 'no-store')
  me(@CurrentCaller() caller: Caller): Promise<UserView> {
    return this.auth.readUser(caller.accountId);
  }

  /** Ends the session that asks, everywhere. */
  @Post('logout')
  @HttpCode(204)
  async logout(
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    if (caller.sessionId !== undefined) await this.sessions.end(caller.sessionId);
    response.clearCookie(SESSION_COOKIE, this.cookie);
  }

  private withCookie(response: Response, session: SessionView): SessionView {
    const maxAge = this.config.SESSION_TTL_SECONDS * 1000;
    response.cookie(SESSION_COOKIE, session.token, { ...this.cookie, maxAge });
    return session;
  }
}
