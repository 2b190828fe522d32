import { Controller, Header, HttpCode, Post } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { ValidBody } from '@inference/http';
import { type Actor, CurrentActor } from '../audit-log/actor';
import { CredentialAttempt } from '../../rate-limit/credential-attempt.decorator';
import {
  confirmation,
  type Confirmation,
  enabling,
  type Enabling,
  type RecoveryCodesView,
  type SetupView,
} from './two-factor.dto';
import { TwoFactorService } from './two-factor.service';

@Controller('api/auth/2fa')
export class TwoFactorController {
  constructor(private readonly twoFactor: TwoFactorService) {}

  /** → `{secret, otpauth_url, qr_code}`. Makes a new secret each time until it is enabled; 409 from then on. */
  @Post('setup')
  @HttpCode(200)
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  setup(@CurrentCaller() { accountId }: Caller): Promise<SetupView> {
    return this.twoFactor.setUp(accountId);
  }

  /** `{code}` → `{recovery_codes}`. 400 for a wrong code, 409 if nothing is set up. Ends the other sessions. */
  @Post('enable')
  @HttpCode(200)
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  enable(@CurrentActor() actor: Actor, @ValidBody(enabling) { code }: Enabling): Promise<RecoveryCodesView> {
    return this.twoFactor.enable(actor, code);
  }

  /** `{password, code}` → 204. 403 if one of them is wrong, 409 if it is not enabled. Ends the other sessions. */
  @Post('disable')
  @HttpCode(204)
  @CredentialAttempt()
  disable(@CurrentActor() actor: Actor, @ValidBody(confirmation) body: Confirmation): Promise<void> {
    return this.twoFactor.disable(actor, body);
  }

  /** `{password, code}` → `{recovery_codes}`, which replace the former ones. Errors as for disable. */
  @Post('recovery-codes')
  @HttpCode(200)
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  replaceRecoveryCodes(
    @CurrentActor() actor: Actor,
    @ValidBody(confirmation) body: Confirmation,
  ): Promise<RecoveryCodesView> {
    return this.twoFactor.replaceRecoveryCodes(actor, body);
  }
}
