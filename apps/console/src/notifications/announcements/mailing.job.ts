import { Database, type Transaction } from '@inference/database';
import { BackgroundJobs, EVERY_HOUR } from '@inference/jobs';
import { Inject, Injectable } from '@nestjs/common';
import { queueMail } from '../mail/outbox';
import { countWaitingMails } from '../mail/outbox.repository';
import { ANNOUNCEMENT_MAIL_CONFIG, type AnnouncementMailConfig } from '../notifications.config';
import { type Announcement, type AnnouncementMailing } from './announcement.entity';
import { findAnnouncement } from './announcements.repository';
import {
  deleteOldRecipients,
  findUnsubscribeCodes,
  lockUnfinishedMailing,
  takeRecipients,
  updateMailing,
} from './mailings.repository';

/** Chosen: other mails, such as those of sign-ins, wait behind one interval's mails at most. */
const INTERVAL_SECONDS = 10;
const INTERVALS_PER_MINUTE = 60 / INTERVAL_SECONDS;
/** For questions of customers why they got a mail. */
const KEPT_DAYS = 90;

/**
 * Puts the mails of announcements into the outbox, at a limited rate and once for each account: a recipient is marked in the
 * transaction that requests its mail, whatever ends in between.
 */
@Injectable()
export class MailingJob {
  constructor(
    private readonly database: Database,
    @Inject(ANNOUNCEMENT_MAIL_CONFIG) private readonly config: AnnouncementMailConfig,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('mail-announcements', INTERVAL_SECONDS, () => this.run());
    jobs.schedule('forget-mail-recipients', EVERY_HOUR, () => deleteOldRecipients(this.database, KEPT_DAYS));
  }

  /** Requests the mails of one interval. What the mail server has not taken of the last ones counts. */
  async run(): Promise<void> {
    const waiting = await countWaitingMails(this.database, 'announcement');
    const free = Math.ceil(this.config.mailsPerMinute / INTERVALS_PER_MINUTE) - waiting;
    if (free > 0) await this.database.transaction((transaction) => this.sendSome(transaction, free));
  }

  private async sendSome(transaction: Transaction, count: number): Promise<void> {
    const mailing = await lockUnfinishedMailing(transaction);
    if (!mailing) return;
    const { announcementId } = mailing;
    const announcement = (await findAnnouncement(transaction, announcementId))!;
    if (announcement.endsAt !== null && announcement.endsAt <= new Date())
      return updateMailing(transaction, announcementId, { end: 'cancelledAt' });
    const accountIds = await takeRecipients(transaction, announcementId, count);
    if (accountIds.length > 0) await requestMails(transaction, mailing, announcement, accountIds);
    const isLast = accountIds.length < count;
    await updateMailing(transaction, announcementId, {
      queued: accountIds.length,
      ...(isLast && { end: 'finishedAt' }),
    });
  }
}

/** Whether an account still gets its mail is judged when that is handed over. */
async function requestMails(
  transaction: Transaction,
  { announcementId }: AnnouncementMailing,
  { titleEn, bodyEn, titleZh, bodyZh }: Announcement,
  accountIds: string[],
): Promise<void> {
  const preferences = await findUnsubscribeCodes(transaction, accountIds);
  const texts = { en: { title: titleEn, body: bodyEn }, 'zh-CN': { title: titleZh, body: bodyZh } };
  for (const { accountId, unsubscribeCode } of preferences) {
    const params = { announcementId, texts, unsubscribeCode };
    await queueMail(transaction, { kind: 'announcement', accountId, params });
  }
}
