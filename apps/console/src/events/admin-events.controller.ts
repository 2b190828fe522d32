import { Controller, Get, Header, Inject } from '@nestjs/common';
import { Roles } from '@inference/credentials';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { pageQuery, readPage, ValidQuery } from '@inference/http';
import { z } from 'zod';
import { type EventView, eventView } from './event-view';
import { SECURITY_EVENT_TYPES } from './security-events';
import { listEvents } from './security-events.store';

const adminEventsQuery = pageQuery.extend({
  account_id: z
    .string('must be given once')
    .regex(/^acct_[0-9A-Za-z]{1,64}$/, 'must be the id of an account')
    .optional(),
  type: z.enum(SECURITY_EVENT_TYPES, 'must be a type of event').optional(),
});
type AdminEventsQuery = z.output<typeof adminEventsQuery>;

@Controller('api/admin/events')
@Roles('admin')
export class AdminEventsController {
  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  /** What happened to all accounts, or to one; `account_id` and `type` narrow it: `{events, next_cursor}`. */
  @Get()
  @Header('Cache-Control', 'no-store')
  async list(
    @ValidQuery(adminEventsQuery) { account_id: accountId, type, ...query }: AdminEventsQuery,
  ): Promise<{ events: EventView[]; next_cursor: string | null }> {
    const list = ['admin events', accountId ?? '', type ?? ''].join(' ');
    const { rows, nextCursor } = await readPage(list, query, (after, count) =>
      listEvents(this.pool, { accountId, type }, after, count),
    );
    return { events: rows.map((event) => eventView(event)), next_cursor: nextCursor };
  }
}
