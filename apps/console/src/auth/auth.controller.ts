import { Controller, Get, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/credentials';
import { Public, ValidBody } from '@inference/http';
import { type Request, type Response } from 'express';
import { type Actor, CurrentActor } from '../events/actor';
import { type Origin, RequestOrigin } from '../events/request-origin';
import { CredentialAttempt } from '../rate-limit/rate-limits';
import { type Language, LANGUAGES } from './accounts';
import {
  type ChallengeView,
  type Login,
  login,
  type Registration,
  registration,
  type SessionView,
  type UserView,
} from './auth.dto';
import { AuthService } from './auth.service';
import { SessionCookie } from './session-cookie';

@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly cookie: SessionCookie,
  ) {}

  /**
   * `{email, password, phone?, username?, language?}` → 201 `{token, user: {id, email}}`; 403 when sign-up is closed,
   * 409 when taken. A mail asks to confirm the address.
   */
  @Post('register')
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  async register(
    @ValidBody(registration) body: Registration,
    @RequestOrigin() origin: Origin,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionView> {
    const language = body.language ?? acceptedLanguage(request);
    return this.cookie.set(response, await this.auth.register(body, language, origin));
  }

  /**
   * `{identifier, password}` → `{token, user: {id, email}}` and the cookie `session`, or, for an account with two
   * factors, `{challenge: {id, methods, expires_at}}`; 401, 429 (spec: Login).
   */
  @Post('login')
  @HttpCode(200)
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  async login(
    @ValidBody(login) body: Login,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionView | ChallengeView> {
    return this.cookie.set(response, await this.auth.login(body, origin));
  }

  @Get('me')
  @Header('Cache-Control', 'no-store')
  me(@CurrentCaller() caller: Caller): Promise<UserView> {
    return this.auth.readUser(caller.accountId);
  }

  /** Ends the session that asks, everywhere. */
  @Post('logout')
  @HttpCode(204)
  async logout(@CurrentActor() actor: Actor, @Res({ passthrough: true }) response: Response): Promise<void> {
    await this.auth.logout(actor);
    this.cookie.clear(response);
  }
}

/** What the browser asks for, undefined when it asks for nothing that there is. */
function acceptedLanguage(request: Request): Language | undefined {
  if (request.get('Accept-Language') === undefined) return undefined;
  const accepted = request.acceptsLanguages(...LANGUAGES, 'zh');
  if (accepted === false) return undefined;
  return accepted === 'en' ? 'en' : 'zh-CN';
}
