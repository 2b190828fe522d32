import { Public } from '@inference/http';
import { ApiErrors } from '@inference/openapi';
import { Body, Controller, Header, HttpCode, Post, Res } from '@nestjs/common';
import { ApiForbiddenResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { type Origin, RequestOrigin } from '../../accounts/audit-log/actor';
import { CredentialAttempt } from '../../rate-limit/rate-limits';
import { NEW_COOKIE_HEADERS, SessionCookies } from '../sessions/session-cookies';
import { SessionResponse, SUSPENDED, VerifyChallengeDto } from './auth.dto';
import { LoginChallengesService } from './login-challenges.service';

@Controller('api/auth/2fa')
@ApiTags('Sign-in')
export class LoginChallengesController {
  constructor(
    private readonly challenges: LoginChallengesService,
    private readonly cookies: SessionCookies,
  ) {}

  @Post('verify')
  @HttpCode(200)
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'verifyChallenge',
    summary: 'Completes a sign-in with the second factor.',
    description:
      'Each code works once. A challenge ends by success, by five wrong codes or after five minutes.',
  })
  @ApiOkResponse({ description: 'The session.', type: SessionResponse, headers: NEW_COOKIE_HEADERS })
  @ApiErrors({ 401: 'The code is wrong or was used before, or the challenge has ended.' })
  @ApiForbiddenResponse(SUSPENDED)
  async verify(
    @Body() body: VerifyChallengeDto,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionResponse> {
    return this.cookies.admit(response, await this.challenges.verify(body, origin));
  }
}
