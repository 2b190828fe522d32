import { Database, type Transaction } from '@inference/database';
import { type LimitTier } from '@inference/rate-limits';
import {
  BadRequestException,
  ConflictException,
  Inject,
  Injectable,
  NotFoundException,
} from '@nestjs/common';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordActorEvent } from '../../accounts/audit-log/audit-log';
import { ANNOUNCEMENT_MAIL_CONFIG, type AnnouncementMailConfig } from '../notifications.config';
import { deleteWaitingMails, wantsAnnouncements } from '../mail/outbox.repository';
import { type Announcement, type AnnouncementMailing } from './announcement.entity';
import { lockAnnouncement } from './announcements.repository';
import { type MailingCountResponse, type MailingDto, type MailingResponse } from './mailings.dto';
import {
  addMailing,
  countRecipients,
  lockMailing,
  type Selection,
  setAnnouncements,
  setOwnAnnouncements,
  updateMailing,
} from './mailings.repository';

/** Announcements by mail: staff starts and cancels them, customers stop and resume them. */
@Injectable()
export class MailingsService {
  constructor(
    private readonly database: Database,
    @Inject(ANNOUNCEMENT_MAIL_CONFIG) private readonly config: AnnouncementMailConfig,
  ) {}

  /** Throws 404 for an unknown announcement; 409 for one that has ended or was mailed, if nobody would get it, and on a site without mail. */
  start(actor: Actor, announcementId: string, input: MailingDto): Promise<MailingResponse> {
    const selection = this.selectionOf(input);
    return this.database.transaction(async (transaction) => {
      const announcement = await this.mailable(transaction, announcementId);
      const recipients = await addMailing(transaction, announcement, selection, actor.accountId);
      if (recipients === 0) throw new ConflictException('no account would get it');
      await record(transaction, actor, announcementId, 'mailed', { recipients, ...input });
      return mailingView((await lockMailing(transaction, announcementId))!);
    });
  }

  /** Throws as `start` does, but not if nobody would get it. */
  count(announcementId: string, input: MailingDto): Promise<MailingCountResponse> {
    const selection = this.selectionOf(input);
    return this.database.transaction(async (transaction) => {
      const announcement = await this.mailable(transaction, announcementId);
      return { recipients: await countRecipients(transaction, announcement, selection) };
    });
  }

  /** Mails that have not been handed to the mail server never are. Throws 404 for an announcement that was not mailed, 409 for a mailing that has ended. */
  cancel(actor: Actor, announcementId: string): Promise<MailingResponse> {
    return this.database.transaction(async (transaction) => {
      const mailing = await lockMailing(transaction, announcementId);
      if (!mailing) throw new NotFoundException('the announcement was not sent by mail');
      if (mailing.cancelledAt !== null) throw new ConflictException('the mailing was cancelled already');
      const removed = await deleteWaitingMails(transaction, announcementId);
      if (mailing.finishedAt !== null && removed === 0) throw new ConflictException('all mails were sent');
      await updateMailing(transaction, announcementId, { queued: -removed, end: 'cancelledAt' });
      await record(transaction, actor, announcementId, 'mailing_cancelled', {});
      return mailingView((await lockMailing(transaction, announcementId))!);
    });
  }

  /** Throws 404 for an unknown code. */
  async setWanted(code: string, isWanted: boolean): Promise<{ announcements: boolean }> {
    if (!(await setAnnouncements(this.database, code, isWanted))) throw new NotFoundException('no such code');
    return { announcements: isWanted };
  }

  async readWanted(accountId: string): Promise<{ announcements: boolean }> {
    return { announcements: await wantsAnnouncements(this.database, accountId) };
  }

  async setOwnWanted(accountId: string, isWanted: boolean): Promise<{ announcements: boolean }> {
    await setOwnAnnouncements(this.database, accountId, isWanted);
    return { announcements: isWanted };
  }

  private async mailable(transaction: Transaction, id: string): Promise<Announcement> {
    const announcement = await lockAnnouncement(transaction, id);
    if (!announcement) throw new NotFoundException('no such announcement');
    if (!this.config.isPossible) throw new ConflictException('the site sends no mail');
    if (announcement.endsAt !== null && announcement.endsAt <= new Date())
      throw new ConflictException('the announcement has ended');
    if (await lockMailing(transaction, id))
      throw new ConflictException('the announcement was sent by mail already');
    return announcement;
  }

  /** Throws 400 for an unknown tier. */
  private selectionOf({ used_model: usedModel, active_within_days: days, tier }: MailingDto): Selection {
    return {
      usedModel: usedModel ?? null,
      activeWithinDays: days ?? null,
      tier:
        tier === undefined ? null : { position: positionOf(this.config.tiers, tier), all: this.config.tiers },
    };
  }
}

function positionOf(tiers: readonly LimitTier[], tier: string): number {
  const position = tiers.findIndex(({ name }) => name === tier);
  if (position < 0) {
    const names = tiers.map(({ name }) => name).join(', ');
    throw new BadRequestException(`tier: must be one of ${names || 'none: the site has no tiers'}`);
  }
  return position;
}

const record = (
  transaction: Transaction,
  actor: Actor,
  announcementId: string,
  action: 'mailed' | 'mailing_cancelled',
  details: object,
) =>
  recordActorEvent(transaction, actor, 'admin.announcement_changed', {
    announcement_id: announcementId,
    action,
    ...details,
  });

export const mailingView = (mailing: AnnouncementMailing): MailingResponse => ({
  state: mailing.cancelledAt ? 'cancelled' : mailing.finishedAt ? 'sent' : 'sending',
  recipients: mailing.recipients,
  queued: mailing.queued,
  skipped: mailing.skipped,
  used_model: mailing.usedModel,
  active_within_days: mailing.activeWithinDays,
  tier: mailing.tier,
  started_at: mailing.startedAt.toISOString(),
  ended_at: (mailing.cancelledAt ?? mailing.finishedAt)?.toISOString() ?? null,
});
