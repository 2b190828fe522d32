import { Controller, Get, Header, Inject } from '@nestjs/common';
import { type Caller, CurrentCaller } from '@inference/guards';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { type PageQuery, pageQuery, readPage, ValidQuery } from '@inference/http';
import { type AuditEventView, auditEventView } from './audit-event-view';
import { listAuditEvents } from './audit-log.repository';

@Controller('api/auth/events')
export class AuditLogController {
  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  /** → `{events, next_cursor}` of the caller's own account, newest first. */
  @Get()
  @Header('Cache-Control', 'no-store')
  async list(
    @CurrentCaller() { accountId }: Caller,
    @ValidQuery(pageQuery) query: PageQuery,
  ): Promise<{ events: AuditEventView[]; next_cursor: string | null }> {
    const { rows, nextCursor } = await readPage(`events ${accountId}`, query, (after, count) =>
      listAuditEvents(this.pool, { accountId }, after, count),
    );
    return { events: rows.map((event) => auditEventView(event, accountId)), next_cursor: nextCursor };
  }
}
