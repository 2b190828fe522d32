import { Controller, Header, HttpCode, Post, Put } from '@nestjs/common';
import { Public, ValidBody } from '@inference/http';
import { type Actor, CurrentActor } from '../audit-log/actor';
import { type Origin, RequestOrigin } from '../audit-log/request-origin';
import { CredentialAttempt } from '../../rate-limit/credential-attempt.decorator';
import {
  forgottenPassword,
  type ForgottenPassword,
  passwordChange,
  type PasswordChange,
  passwordReset,
  type PasswordReset,
} from './passwords.dto';
import { PasswordsService } from './passwords.service';

/** Response to a request for mail. It does not show whether there is an account. */
const ACCEPTED = { status: 'accepted' } as const;

@Controller('api/auth/password')
export class PasswordsController {
  constructor(private readonly passwords: PasswordsService) {}

  /** `{identifier}` or `{email}` → always 202, so that the answer does not reveal whether an account exists. */
  @Post('forgot')
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

  /** `{token, password}` → 202. 400 for a token that is unknown, used or expired. Ends all sessions. */
  @Post('reset')
  @HttpCode(202)
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  async reset(@ValidBody(passwordReset) body: PasswordReset, @RequestOrigin() origin: Origin) {
    await this.passwords.reset(body, origin);
    return ACCEPTED;
  }

  /** `{current_password, new_password}` → 204. 403 for a wrong password. Ends the account's other sessions. */
  @Put()
  @HttpCode(204)
  @CredentialAttempt()
  change(@CurrentActor() actor: Actor, @ValidBody(passwordChange) body: PasswordChange): Promise<void> {
    return this.passwords.change(actor, body);
  }
}
