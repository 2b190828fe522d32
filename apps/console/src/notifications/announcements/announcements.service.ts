import { Database, newId, type Transaction } from '@inference/database';
import { readPage } from '@inference/http';
import { instantText } from '@inference/time';
import { BadRequestException, ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordActorEvent } from '../../accounts/audit-log/audit-log';
import { type CacheableResponse } from '../../caching/cached.decorator';
import { type Announcement, type AnnouncementMailing } from './announcement.entity';
import { findMailings } from './mailings.repository';
import { mailingView } from './mailings.service';
import {
  type AnnouncementContentDto,
  type AnnouncementResponse,
  type AnnouncementsQuery,
  type AnnouncementsResponse,
  type CurrentAnnouncementResponse,
  type CurrentAnnouncementsResponse,
  type NewAnnouncementDto,
} from './announcements.dto';
import {
  addressAccounts,
  addressUsers,
  type AnnouncementCounts,
  countAccounts,
  dismissAnnouncement,
  endAnnouncement,
  findAnnouncement,
  findAnnouncementOf,
  insertAnnouncement,
  listAnnouncements,
  listAnnouncementsOf,
  listIncidents,
  listPublicAnnouncements,
  lockAnnouncement,
  updateAnnouncement,
} from './announcements.repository';

/** Announcements in the console's pages: staff makes them, customers see and dismiss them. */
@Injectable()
export class AnnouncementsService {
  constructor(private readonly database: Database) {}

  async listPublic(): Promise<CacheableResponse<CurrentAnnouncementsResponse>> {
    const announcements = (await listPublicAnnouncements(this.database)).map(currentView);
    return { body: { announcements }, changedAt: null };
  }

  /** Warnings and critical announcements to everybody that were shown within the last days, newest first. */
  async listIncidents(days: number): Promise<CurrentAnnouncementResponse[]> {
    return (await listIncidents(this.database, days)).map(currentView);
  }

  async listOf(accountId: string): Promise<CurrentAnnouncementsResponse> {
    return { announcements: (await listAnnouncementsOf(this.database, accountId)).map(currentView) };
  }

  /** Throws 404 for one that the account does not see, 409 for a critical one. Dismissing it again changes nothing. */
  async dismiss(accountId: string, id: string): Promise<void> {
    const announcement = await findAnnouncementOf(this.database, id, accountId);
    if (!announcement) throw new NotFoundException('no such announcement');
    if (announcement.severity === 'critical') {
      throw new ConflictException('a critical announcement cannot be dismissed');
    }
    await dismissAnnouncement(this.database, id, accountId);
  }

  async list(query: AnnouncementsQuery): Promise<AnnouncementsResponse> {
    const { rows, nextCursor } = await readPage('announcements', query, (after, count) =>
      listAnnouncements(this.database, after, count),
    );
    const ids = rows.map(({ id }) => id);
    const counts = await countAccounts(this.database, ids);
    const mailings = new Map(
      (await findMailings(this.database, ids)).map((one) => [one.announcementId, one]),
    );
    const announcements = rows.map((row) => view(row, counts.get(row.id), mailings.get(row.id)));
    return { announcements, next_cursor: nextCursor };
  }

  /** Throws 400 for accounts that do not exist, and for a model that nobody has used. */
  create(actor: Actor, input: NewAnnouncementDto): Promise<AnnouncementResponse> {
    const { audience, account_ids: accountIds, model } = input;
    refuseUnless(audience === 'accounts', accountIds, 'account_ids', audience);
    refuseUnless(audience === 'model', model, 'model', audience);
    const id = newId('ann');
    return this.database.transaction(async (transaction) => {
      await insertAnnouncement(transaction, {
        ...contentOf(input, new Date()),
        id,
        audience,
        model: model ?? null,
        createdBy: actor.accountId,
      });
      if (accountIds) {
        const ids = [...new Set(accountIds)];
        if ((await addressAccounts(transaction, id, ids)) < ids.length) {
          throw new BadRequestException('account_ids must name accounts that exist');
        }
      }
      if (model !== undefined && (await addressUsers(transaction, id, model)) === 0) {
        throw new BadRequestException('model must name one that was used in the last 30 days');
      }
      return this.recorded(transaction, actor, id, 'created');
    });
  }

  /** Throws 404 for an unknown one. */
  replace(actor: Actor, id: string, input: AnnouncementContentDto): Promise<AnnouncementResponse> {
    return this.database.transaction(async (transaction) => {
      const former = await lockAnnouncement(transaction, id);
      if (!former) throw new NotFoundException('no such announcement');
      await updateAnnouncement(transaction, id, contentOf(input, former.startsAt));
      return this.recorded(transaction, actor, id, 'changed');
    });
  }

  /** Throws 404 for an unknown one, 409 for one that has ended. */
  end(actor: Actor, id: string): Promise<AnnouncementResponse> {
    return this.database.transaction(async (transaction) => {
      const former = await lockAnnouncement(transaction, id);
      if (!former) throw new NotFoundException('no such announcement');
      if (former.endsAt !== null && former.endsAt <= new Date()) {
        throw new ConflictException('the announcement has ended already');
      }
      await endAnnouncement(transaction, id);
      return this.recorded(transaction, actor, id, 'ended');
    });
  }

  private async recorded(
    transaction: Transaction,
    actor: Actor,
    id: string,
    action: 'created' | 'changed' | 'ended',
  ): Promise<AnnouncementResponse> {
    await recordActorEvent(transaction, actor, 'admin.announcement_changed', { announcement_id: id, action });
    const [stored, counts, [mailing]] = [
      await findAnnouncement(transaction, id),
      await countAccounts(transaction, [id]),
      await findMailings(transaction, [id]),
    ];
    return view(stored!, counts.get(id), mailing);
  }
}

function refuseUnless(isWanted: boolean, value: unknown, field: string, audience: string): void {
  if (isWanted && value === undefined) throw new BadRequestException(`${field} is missing`);
  if (!isWanted && value !== undefined) {
    throw new BadRequestException(`${field} must not be given for the audience ${audience}`);
  }
}

const dateOf = (micros: bigint) => new Date(instantText(micros));

/** Throws 400 if it ends before it begins. @param start if none is named */
function contentOf(input: AnnouncementContentDto, start: Date) {
  const startsAt = input.starts_at === undefined ? start : dateOf(input.starts_at);
  const endsAt = input.ends_at === undefined ? null : dateOf(input.ends_at);
  if (endsAt !== null && endsAt <= startsAt) {
    throw new BadRequestException('ends_at must be after starts_at');
  }
  return {
    severity: input.severity,
    titleEn: input.title_en,
    bodyEn: input.body_en,
    titleZh: input.title_zh,
    bodyZh: input.body_zh,
    startsAt,
    endsAt,
  };
}

const currentView = (announcement: Announcement): CurrentAnnouncementResponse => ({
  id: announcement.id,
  severity: announcement.severity,
  title_en: announcement.titleEn,
  body_en: announcement.bodyEn,
  title_zh: announcement.titleZh,
  body_zh: announcement.bodyZh,
  starts_at: announcement.startsAt.toISOString(),
  ends_at: announcement.endsAt?.toISOString() ?? null,
});

const view = (
  announcement: Announcement,
  { addressed, dismissed }: AnnouncementCounts = { addressed: 0, dismissed: 0 },
  mailing?: AnnouncementMailing,
): AnnouncementResponse => ({
  ...currentView(announcement),
  audience: announcement.audience,
  model: announcement.model,
  addressed_accounts: announcement.audience === 'all' ? null : addressed,
  dismissed_by: dismissed,
  mailing: mailing ? mailingView(mailing) : null,
  created_by: announcement.createdBy,
  created_at: announcement.createdAt.toISOString(),
});
