import { Module } from '@nestjs/common';
import {
  AdminAnnouncementsController,
  AnnouncementsController,
} from './announcements/announcements.controller';
import { AnnouncementsService } from './announcements/announcements.service';
import { MailingJob } from './announcements/mailing.job';
import {
  AdminMailingsController,
  MailPreferencesController,
  OwnMailPreferencesController,
} from './announcements/mailings.controller';
import { MailingsService } from './announcements/mailings.service';
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

@Module({
  controllers: [
    AnnouncementsController,
    AdminAnnouncementsController,
    AdminMailingsController,
    MailPreferencesController,
    OwnMailPreferencesController,
  ],
  providers: [AnnouncementsService, MailingJob, MailingsService],
  exports: [AnnouncementsService],
})
class AnnouncementsModule {}

/** What the console tells customers by mail and on its pages. */
@Module({ imports: [MailModule, LowBalanceModule, AnnouncementsModule], exports: [AnnouncementsModule] })
export class NotificationsModule {}
