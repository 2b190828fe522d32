import { Controller, Header, HttpCode, Post, Res } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/credentials';
import { Public, ValidBody } from '@inference/http';
import { type Response } from 'express';
import { type SessionView } from '../auth/auth.dto';
import { SessionCookie } from '../auth/session-cookie';
import { type Actor, CurrentActor } from '../events/actor';
import { type Origin, RequestOrigin } from '../events/request-origin';
import { CredentialAttempt } from '../rate-limit/rate-limits';
import { ChallengesService } from './challenges.service';
import {
  confirmation,
  type Confirmation,
  enabling,
  type Enabling,
  type RecoveryCodesView,
  type SetupView,
  verification,
  type Verification,
} from './two-factor.dto';
import { TwoFactorService } from './two-factor.service';

@Controller('api/auth/2fa')
export class TwoFactorController {
  constructor(
    private readonly twoFactor: TwoFactorService,
    private readonly challenges: ChallengesService,
    private readonly cookie: SessionCookie,
  ) {}

  /** → `{secret, otpauth_url, qr_code}`, a new secret each time until it is enabled; 409 from then on. */
  @Post('setup')
  @HttpCode(200)
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  setup(@CurrentCaller() { accountId }: Caller): Promise<SetupView> {
    return this.twoFactor.setUp(accountId);
  }

  /** `{code}` → `{recovery_codes}`; 400 for a wrong code, 409 when nothing is set up. Ends the other sessions. */
  @Post('enable')
  @HttpCode(200)
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  enable(@CurrentActor() actor: Actor, @ValidBody(enabling) { code }: Enabling): Promise<RecoveryCodesView> {
    return this.twoFactor.enable(actor, code);
  }

  /** `{password, code}` → 204; 403 when one of them is wrong, 409 when it is not on. Ends the other sessions. */
  @Post('disable')
  @HttpCode(204)
  @CredentialAttempt()
  disable(@CurrentActor() actor: Actor, @ValidBody(confirmation) body: Confirmation): Promise<void> {
    return this.twoFactor.disable(actor, body);
  }

  /** `{password, code}` → `{recovery_codes}`, in the place of those before; errors as for disable. */
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

  /**
   * `{challenge_id, code}` → `{token, user: {id, email}}` and the cookie `session`; 401 for a wrong code, or a challenge
   * that has ended (by success, five wrong codes, or five minutes); 429.
   */
  @Post('verify')
  @HttpCode(200)
  @Public()
  @CredentialAttempt()
  @Header('Cache-Control', 'no-store')
  async verify(
    @ValidBody(verification) body: Verification,
    @RequestOrigin() origin: Origin,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionView> {
    return this.cookie.set(response, await this.challenges.verify(body, origin));
  }
}
