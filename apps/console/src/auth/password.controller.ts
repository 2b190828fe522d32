import { Controller, Header, HttpCode, Post, Put } from '@nestjs/common';
import { Public, ValidBody } from '@inference/http';
import { type Actor, CurrentActor } from '../events/actor';
import { type Origin, RequestOrigin } from '../events/request-origin';
import { CredentialAttempt } from '../rate-limit/rate-limits';
import {
  emailVerification,
  type EmailVerification,
  forgottenPassword,
  type ForgottenPassword,
  passwordChange,
  type PasswordChange,
  passwordReset,
  type PasswordReset,
} from './password.dto';
import { PasswordService } from './password.service';

/** What the answer to a request for mail is, whether or not there is anybody to write to. */
const ACCEPTED = { status: 'accepted' } as const;

@Controller('api/auth')
export class PasswordController {
  constructor(private readonly passwords: PasswordService) {}

  /** `{identifier}` or `{email}` → always 202: nobody learns here who has an account. */
  @Post('password/forgot')
  @HttpCode(202)
  @Public()
  @CredentialAttempt()
  async forgot(
    @ValidBody(forgottenPassword) { identifier }: ForgottenPassword,
    @RequestOrigin() origin: Origin,
  ) {
    await this.passwords.requestReset(identifier, origin);
    return ACCEPTED;
  }

  /** `{token, password}` → 202; 400 for a token that is unknown, used or too old. Ends all sessions. */
  @Post('password/reset')
  @HttpCode(202)
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  async reset(@ValidBody(passwordReset) body: PasswordReset, @RequestOrigin() origin: Origin) {
    await this.passwords.reset(body, origin);
    return ACCEPTED;
  }

  /** `{current_password, new_password}` → 204; 403 for a wrong one. Ends the account's other sessions. */
  @Put('password')
  @HttpCode(204)
  @CredentialAttempt()
  change(@CurrentActor() actor: Actor, @ValidBody(passwordChange) body: PasswordChange): Promise<void> {
    return this.passwords.change(actor, body);
  }

  /**
   * `{token}` that came by mail → 202, the address is confirmed; 400 for one that is unknown, used or too old.
   * `{email}` → always 202: a token is sent where an account waits for its confirmation.
   */
  @Post('email/verify')
  @HttpCode(202)
  @Public()
  @CredentialAttempt()
  async verifyEmail(@ValidBody(emailVerification) body: EmailVerification, @RequestOrigin() origin: Origin) {
    if ('token' in body) await this.passwords.verifyEmail(body.token, origin);
    else await this.passwords.requestVerification(body.email);
    return ACCEPTED;
  }
}
