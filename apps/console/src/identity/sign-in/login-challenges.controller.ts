import { Controller, Header, HttpCode, Post, Res } from '@nestjs/common';
import { Public, ValidBody } from '@inference/http';
import { type Response } from 'express';
import { CredentialAttempt } from '../../rate-limit/credential-attempt.decorator';
import { type Origin, RequestOrigin } from '../audit-log/request-origin';
import { SessionCookie } from '../sessions/session-cookie';
import { type ChallengeAnswer, challengeAnswer, type SessionView } from './auth.dto';
import { LoginChallengesService } from './login-challenges.service';

@Controller('api/auth/2fa')
export class LoginChallengesController {
  constructor(
    private readonly challenges: LoginChallengesService,
    private readonly cookie: SessionCookie,
  ) {}

  /**
   * `{challenge_id, code}` → `{token, user: {id, email}}` and the cookie `session`. 401 for a wrong code or for a
   * challenge that has ended: by success, by five wrong codes or after five minutes. 429 after too many attempts.
   */
  @Post('verify')
  @HttpCode(200)
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  async verify(
    @ValidBody(challengeAnswer) body: ChallengeAnswer,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionView> {
    const session = await this.challenges.verify(body, origin);
    this.cookie.set(response, session.token);
    return session;
  }
}
