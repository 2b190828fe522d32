import { Database } from '@inference/database';
import { readPage } from '@inference/http';
import { BackgroundJobs, EVERY_HOUR } from '@inference/jobs';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { type Actor } from '../../accounts/audit-log/actor';
import { recordAuditEvent } from '../../accounts/audit-log/audit-log';
import { minorToNumber } from '../payments/minor-amount';
import { type ProviderEventRow } from './provider-event.entity';
import {
  type ProviderEventDetailResponse,
  type ProviderEventListResponse,
  type ProviderEventResponse,
  type ProviderEventsQuery,
} from './provider-events.dto';
import {
  closeProviderEvent,
  emptyOldProviderEvents,
  findProviderEvent,
  listProviderEvents,
} from './provider-events.repository';

/** In which a dispute may come up again: card schemes allow up to 540 days. */
const KEPT_DAYS = 540;

/** Events of payment providers that wait for a person. */
@Injectable()
export class ProviderEventsService {
  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('empty-old-provider-events', EVERY_HOUR, () => this.emptyOld());
  }

  /** What was signed may name customers and their cards. What happened, and how it was closed, stays. */
  emptyOld(): Promise<void> {
    return emptyOldProviderEvents(this.database, KEPT_DAYS);
  }

  async list({ state, ...query }: ProviderEventsQuery): Promise<ProviderEventListResponse> {
    const isOpen = state === undefined ? undefined : state === 'open';
    const { rows, nextCursor } = await readPage(`provider events ${state}`, query, (after, count) =>
      listProviderEvents(this.database, { isOpen }, after, count),
    );
    return { events: rows.map(view), next_cursor: nextCursor };
  }

  /** Throws 404 for an unknown event. */
  async read(id: string): Promise<ProviderEventDetailResponse> {
    const event = await findProviderEvent(this.database, id);
    if (!event) throw new NotFoundException('no such event');
    return { ...view(event), content: event.content };
  }

  /** Throws 404 for an unknown event, 409 for one that is closed. */
  async close(
    id: string,
    { accountId: actorId, origin }: Actor,
    note: string,
  ): Promise<ProviderEventResponse> {
    return this.database.transaction(async (transaction) => {
      const isClosed = await closeProviderEvent(transaction, id, actorId, note);
      const event = await findProviderEvent(transaction, id);
      if (!event) throw new NotFoundException('no such event');
      if (!isClosed) throw new ConflictException('the event is closed already');
      await recordAuditEvent(transaction, {
        type: 'admin.provider_event_closed',
        accountId: event.payment?.accountId ?? null,
        actorId,
        origin,
        details: { event_id: id, type: event.type },
      });
      return view(event);
    });
  }
}

const view = (event: ProviderEventRow): ProviderEventResponse => ({
  id: event.id,
  provider: event.provider,
  event_id: event.eventId,
  type: event.type,
  kind: event.kind,
  payment_id: event.payment?.id ?? null,
  account_id: event.payment?.accountId ?? null,
  amount: event.amountMinor === null ? null : minorToNumber(event.amountMinor),
  currency: event.currency,
  status: event.status,
  reason: event.reason,
  received_at: event.receivedAt.toISOString(),
  closed_at: event.closedAt?.toISOString() ?? null,
  closed_as: event.closedAs,
  closed_by: event.closedBy,
  note: event.note,
});
