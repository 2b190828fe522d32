import { Controller, HttpCode, Post } from '@nestjs/common';
import { Public, ValidBody } from '@inference/http';
import { CredentialAttempt } from '../../rate-limit/credential-attempt.decorator';
import { type Origin, RequestOrigin } from '../audit-log/request-origin';
import { emailVerification, type EmailVerification } from './email-verification.dto';
import { EmailVerificationService } from './email-verification.service';

@Controller('api/auth/email')
export class EmailVerificationController {
  constructor(private readonly verification: EmailVerificationService) {}

  /**
   * `{token}` that came by mail → 202, and the address is confirmed. 400 for a token that is unknown, used or expired.
   * `{email}` → always 202. A token is sent if an account with that address is not confirmed yet.
   */
  @Post('verify')
  @HttpCode(202)
  @Public()
  @CredentialAttempt()
  async verify(@ValidBody(emailVerification) body: EmailVerification, @RequestOrigin() origin: Origin) {
    if ('token' in body) await this.verification.verify(body.token, origin);
    else await this.verification.requestVerification(body.email);
    return { status: 'accepted' } as const;
  }
}
