import { Module } from '@nestjs/common';
import { MailComposer } from './delivery/mail-composer';
import { MailSender } from './delivery/mail-sender';
import { InvoiceAttachments } from './invoice-attachments';

/** Sends the mails that other features put into the outbox with `queueMail`. */
@Module({
  providers: [MailComposer, MailSender, InvoiceAttachments],
  exports: [InvoiceAttachments],
})
export class MailModule {}
