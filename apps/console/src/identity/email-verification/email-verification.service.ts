import { Database } from '@inference/database';
import { type Caller } from '@inference/guards';
import { Injectable } from '@nestjs/common';
import { type Origin } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { markEmailVerified } from '../../accounts/credentials.repository';
import { StartCredit } from '../start-credit';
import { queueMail } from '../../notifications/mail/outbox';
import { readMailToken, redeemMailToken } from '../mail-token';
import { ReauthenticationService } from '../passwords/reauthentication.service';
import { isRecentSession } from '../sessions/sessions.repository';
import { type VerifyEmailDto } from './email-verification.dto';

@Injectable()
export class EmailVerificationService {
  constructor(
    private readonly database: Database,
    private readonly reauthentication: ReauthenticationService,
    private readonly startCredit: StartCredit,
  ) {}

  /** Takes the same time whether or not there is such an account: the mail sender looks for it later. */
  async requestVerification(email: string): Promise<void> {
    await queueMail(this.database, { kind: 'verify_email', identifier: email });
  }

  /**
   * Somebody else may have registered the address and hold a password or keys of the account. So a mail alone confirms nothing: it takes
   * the password of the account or one of its sessions that has just begun. An older one may have been put into the browser by somebody
   * else. Throws 403 without either.
   *
   * @param caller of the request; undefined without a session
   */
  async verify(
    { token, password }: VerifyEmailDto,
    caller: Caller | undefined,
    origin: Origin,
  ): Promise<void> {
    const ownerId = await readMailToken(this.database, 'verify_email', token);
    const isSignedIn =
      caller?.accountId === ownerId &&
      caller.sessionId !== undefined &&
      (await isRecentSession(this.database, caller.sessionId));
    if (!isSignedIn) await this.reauthentication.confirmWithoutRecentSession(ownerId, password, origin);
    await this.database.transaction(async (transaction) => {
      const { accountId, email } = await redeemMailToken(transaction, 'verify_email', token);
      if (!(await markEmailVerified(transaction, accountId, email))) return;
      await recordAuditEvent(transaction, { type: 'email.verified', accountId, actorId: accountId, origin });
      await this.startCredit.give(transaction, accountId);
    });
  }
}
