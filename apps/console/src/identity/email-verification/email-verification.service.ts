import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { queueMail } from '../../notifications/mail/outbox';
import { markEmailVerified } from '../accounts/credentials.repository';
import { recordAuditEvent } from '../audit-log/audit-log';
import { type Origin } from '../audit-log/request-origin';
import { ReauthenticationService } from '../passwords/reauthentication.service';
import { type VerifyEmailDto } from './email-verification.dto';
import { readMailToken, redeemMailToken } from '../mail-tokens/mail-token';

@Injectable()
export class EmailVerificationService {
  constructor(
    private readonly database: Database,
    private readonly reauthentication: ReauthenticationService,
  ) {}

  /** Takes the same time whether or not there is such an account: the mail sender looks for it later. */
  async requestVerification(email: string): Promise<void> {
    await queueMail(this.database, { kind: 'verify_email', identifier: email });
  }

  /**
   * Somebody else may have registered the address and hold a password or keys of the account. So a mail alone confirms nothing: it takes
   * a session of the account or its password. Throws 403 without either.
   *
   * @param callerId the account of the request's session; undefined without one
   */
  async verify(
    { token, password }: VerifyEmailDto,
    callerId: string | undefined,
    origin: Origin,
  ): Promise<void> {
    const ownerId = await readMailToken(this.database, 'verify_email', token);
    if (ownerId !== callerId) await this.reauthentication.confirmWithoutSession(ownerId, password, origin);
    await this.database.transaction(async (transaction) => {
      const { accountId, email } = await redeemMailToken(transaction, 'verify_email', token);
      if (await markEmailVerified(transaction, accountId, email))
        await recordAuditEvent(transaction, {
          type: 'email.verified',
          accountId,
          actorId: accountId,
          origin,
        });
    });
  }
}
