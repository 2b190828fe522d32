import { Database } from '@inference/database';
import { BadRequestException, ForbiddenException, Injectable } from '@nestjs/common';
import { readForSignIn, type SignInAccount } from '../../accounts/accounts.repository';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { LoginThrottle } from '../login-throttle/login-throttle.service';
import { ReauthenticationService } from '../passwords/reauthentication.service';
import { SecondFactorVerifier } from './second-factor-verifier';
import { type AdminConfirmationDto } from './two-factor.dto';

/** Asks an admin again for the password or a code before a change that outlives the session, which may be stolen. */
@Injectable()
export class AdminConfirmationService {
  constructor(
    private readonly database: Database,
    private readonly reauthentication: ReauthenticationService,
    private readonly throttle: LoginThrottle,
    private readonly secondFactor: SecondFactorVerifier,
  ) {}

  /**
   * Returns the admin's account as it was when the password or the code matched. Throws 400 if both are missing, 403 if it is wrong,
   * and 429 after too many wrong ones.
   */
  confirm(admin: Actor, { password, code }: AdminConfirmationDto): Promise<SignInAccount> {
    if (password !== undefined || code === undefined)
      return this.reauthentication.confirm(admin, 'password', password);
    return this.confirmByCode(admin, code);
  }

  private async confirmByCode({ accountId, origin }: Actor, code: string): Promise<SignInAccount> {
    const account = await readForSignIn(this.database, accountId);
    if (!account) throw new ForbiddenException('the account does not exist any more');
    if (!account.twoFactor)
      throw new BadRequestException('code: this account has no second factor; send the password');
    const attempt = await this.throttle.admit({ kind: 'second_factor', accountId, address: origin.address });
    const factor = await this.database.transaction((transaction) =>
      this.secondFactor.verify(transaction, accountId, code),
    );
    if (factor === null) {
      await recordAuditEvent(this.database, {
        type: 'second_factor.failed',
        accountId,
        actorId: accountId,
        origin,
      });
      throw new ForbiddenException('code: is wrong, or was used before');
    }
    await attempt.recordSuccess();
    return account;
  }
}
