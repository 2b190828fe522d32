import { Controller, Get, Header, HttpCode, Post, Req, Res } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { Public, ValidBody } from '@inference/http';
import { type Request, type Response } from 'express';
import { type Actor, CurrentActor } from '../audit-log/actor';
import { type Origin, RequestOrigin } from '../audit-log/request-origin';
import { CredentialAttempt } from '../../rate-limit/credential-attempt.decorator';
import { type Language, LANGUAGES } from '../accounts/accounts';
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
import { SessionCookie } from '../sessions/session-cookie';

@Controller('api/auth')
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly cookie: SessionCookie,
  ) {}

  /**
   * `{email, password, phone?, username?, language?}` → 201 `{token, user: {id, email}}`. 403 if sign-up is closed, 409
   * if an identifier is taken. A mail asks to confirm the address.
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
    const session = await this.auth.register(body, language, origin);
    this.cookie.set(response, session.token);
    return session;
  }

  /**
   * `{identifier, password}` → `{token, user: {id, email}}` and the cookie `session`, or
   * `{challenge: {id, methods, expires_at}}` for an account with two factors. 401 for a wrong identifier or password,
   * 429 after too many attempts.
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
    const view = await this.auth.login(body, origin);
    if ('token' in view) this.cookie.set(response, view.token);
    return view;
  }

  @Get('me')
  @Header('Cache-Control', 'no-store')
  me(@CurrentCaller() caller: Caller): Promise<UserView> {
    return this.auth.readUser(caller.accountId);
  }

  /** Ends the session of the caller for all services. */
  @Post('logout')
  @HttpCode(204)
  async logout(@CurrentActor() actor: Actor, @Res({ passthrough: true }) response: Response): Promise<void> {
    await this.auth.logout(actor);
    this.cookie.clear(response);
  }
}

/** Language that the browser asks for; undefined if it asks for none of ours. */
function acceptedLanguage(request: Request): Language | undefined {
  if (request.get('Accept-Language') === undefined) return undefined;
  const accepted = request.acceptsLanguages(...LANGUAGES, 'zh');
  if (accepted === false) return undefined;
  return accepted === 'en' ? 'en' : 'zh-CN';
}
