import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { queueMail } from '../../notifications/mail/outbox';
import { markEmailVerified } from '../accounts/credentials.repository';
import { recordAuditEvent } from '../audit-log/audit-log';
import { type Origin } from '../audit-log/request-origin';
import { redeemMailToken } from './mail-token';

@Injectable()
export class EmailVerificationService {
  constructor(private readonly database: Database) {}

  /** Takes the same time whether or not there is such an account: the mail sender looks for it later. */
  async requestVerification(email: string): Promise<void> {
    await queueMail(this.database, { kind: 'verify_email', identifier: email });
  }

  async verify(token: string, origin: Origin): Promise<void> {
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
