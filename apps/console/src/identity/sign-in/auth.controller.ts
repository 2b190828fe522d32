import { type Caller, CurrentCaller, SecondFactorSetup } from '@inference/guards';
import { Public } from '@inference/http';
import { ApiErrors, ApiOneOf } from '@inference/openapi';
import { Body, Controller, Get, Header, HttpCode, Patch, Post, Req, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiForbiddenResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { type Actor, CurrentActor, type Origin, RequestOrigin } from '../../accounts/audit-log/actor';
import { type Language, LANGUAGES } from '../../accounts/languages';
import { CredentialAttempt } from '../../rate-limit/rate-limits';
import {
  CLEARED_COOKIE_HEADERS,
  NEW_COOKIE_HEADERS,
  OPTIONAL_COOKIE_HEADERS,
  SessionCookies,
} from '../sessions/session-cookies';
import {
  ChallengeResponse,
  LoginDto,
  RegisterDto,
  SessionResponse,
  SUSPENDED,
  UpdateMeDto,
  UserResponse,
} from './auth.dto';
import { AuthService } from './auth.service';

@Controller('api/auth')
@ApiTags('Sign-in')
export class AuthController {
  constructor(
    private readonly auth: AuthService,
    private readonly cookies: SessionCookies,
  ) {}

  @Post('register')
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'register',
    summary: 'Makes an account with an empty wallet and signs it in.',
    description: 'A mail asks to confirm the address.',
  })
  @ApiCreatedResponse({
    description: 'The first session of the account.',
    type: SessionResponse,
    headers: NEW_COOKIE_HEADERS,
  })
  @ApiErrors({
    400: 'A field is missing or malformed, the password is too common or names the account, or the username is reserved.',
    403: 'The site takes no new accounts.',
    409: 'The e-mail address, phone number or username is taken.',
  })
  async register(
    @Body() body: RegisterDto,
    @RequestOrigin() origin: Origin,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionResponse> {
    const language = body.language ?? acceptedLanguage(request);
    return this.cookies.admit(response, await this.auth.register(body, language, origin));
  }

  @Post('login')
  @HttpCode(200)
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'login',
    summary: 'Signs an account in by its password.',
    description:
      'An account with two factors gets a challenge, which `POST /api/auth/2fa/verify` turns into a session.',
  })
  @ApiOneOf({
    description: 'The session, or the challenge for the second factor.',
    types: [SessionResponse, ChallengeResponse],
    headers: OPTIONAL_COOKIE_HEADERS,
  })
  @ApiErrors({ 401: 'The identifier or the password is wrong.' })
  @ApiForbiddenResponse(SUSPENDED)
  async login(
    @Body() body: LoginDto,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionResponse | ChallengeResponse> {
    const outcome = await this.auth.login(body, origin);
    return 'challenge' in outcome ? outcome : this.cookies.admit(response, outcome);
  }

  @Get('me')
  @SecondFactorSetup()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'readMe', summary: 'Reads the signed-in account.' })
  @ApiOkResponse({ description: 'The account.', type: UserResponse })
  me(@CurrentCaller() caller: Caller): Promise<UserResponse> {
    return this.auth.readUser(caller);
  }

  @Patch('me')
  @SecondFactorSetup()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({ operationId: 'updateMe', summary: 'Changes the settings of the signed-in account.' })
  @ApiOkResponse({ description: 'The changed account.', type: UserResponse })
  updateMe(
    @CurrentCaller() caller: Caller,
    @Body() body: UpdateMeDto,
    @RequestOrigin() origin: Origin,
  ): Promise<UserResponse> {
    return this.auth.updateUser(caller, body, origin);
  }

  @Post('logout')
  @SecondFactorSetup()
  @HttpCode(204)
  @ApiOperation({ operationId: 'logout', summary: 'Ends the session for all services.' })
  @ApiNoContentResponse({ description: 'The session has ended.', headers: CLEARED_COOKIE_HEADERS })
  async logout(@CurrentActor() actor: Actor, @Res({ passthrough: true }) response: Response): Promise<void> {
    await this.auth.logout(actor);
    this.cookies.clear(response);
  }
}

/** Language that the browser asks for; undefined if it asks for none of ours. */
function acceptedLanguage(request: Request): Language | undefined {
  if (request.get('Accept-Language') === undefined) return undefined;
  const accepted = request.acceptsLanguages(...LANGUAGES, 'zh');
  if (accepted === false) return undefined;
  return accepted === 'en' ? 'en' : 'zh-CN';
}
