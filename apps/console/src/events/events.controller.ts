import { Controller, Get, Header, Inject } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/credentials';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type PageQuery, pageQuery, readPage, ValidQuery } from '@inference/http';
import { type EventView, eventView } from './event-view';
import { listEvents } from './security-events.store';

@Controller('api/auth/events')
export class EventsController {
  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  /** What happened to the caller's own account: `{events, next_cursor}`, newest first. */
  @Get()
  @Header('Cache-Control', 'no-store')
  async list(
    @CurrentCaller() { accountId }: Caller,
    @ValidQuery(pageQuery) query: PageQuery,
  ): Promise<{ events: EventView[]; next_cursor: string | null }> {
    const { rows, nextCursor } = await readPage(`events ${accountId}`, query, (after, count) =>
      listEvents(this.pool, { accountId }, after, count),
    );
    return { events: rows.map((event) => eventView(event, accountId)), next_cursor: nextCursor };
  }
}
