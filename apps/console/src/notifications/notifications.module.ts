import { Module } from '@nestjs/common';
import { LowBalanceAlertJob } from './low-balance/low-balance-alert.job';
import { MailComposer } from './mail/delivery/mail-composer';
import { MailSender } from './mail/delivery/mail-sender';
import { InvoiceAttachments } from './mail/invoice-attachments';

/** Mails customers whose balance falls below the threshold. */
@Module({ providers: [LowBalanceAlertJob] })
class LowBalanceModule {}

/** Sends the mails that other features put into the outbox with `queueMail`. */
@Module({
  providers: [MailComposer, MailSender, InvoiceAttachments],
  exports: [InvoiceAttachments],
})
export class MailModule {}

/** What the console tells customers by mail. */
@Module({ imports: [MailModule, LowBalanceModule] })
export class NotificationsModule {}
