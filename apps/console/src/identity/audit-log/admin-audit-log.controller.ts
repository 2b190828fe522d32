import { Controller, Get, Header, Inject } from '@nestjs/common';
import { Roles } from '@inference/guards';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { pageQuery, readPage, ValidQuery } from '@inference/http';
import { z } from 'zod';
import { type AuditEventView, auditEventView } from './audit-event-view';
import { AUDIT_EVENT_TYPES } from './audit-log';
import { listAuditEvents } from './audit-log.repository';

const adminAuditLogQuery = pageQuery.extend({
  account_id: z
    .string('must be given once')
    .regex(/^acct_[0-9A-Za-z]{1,64}$/, 'must be the id of an account')
    .optional(),
  type: z.enum(AUDIT_EVENT_TYPES, 'must be a type of event').optional(),
});
type AdminAuditLogQuery = z.output<typeof adminAuditLogQuery>;

@Controller('api/admin/events')
@Roles('admin')
export class AdminAuditLogController {
  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  /** → `{events, next_cursor}` of all accounts, newest first. `account_id` and `type` filter them. */
  @Get()
  @Header('Cache-Control', 'no-store')
  async list(
    @ValidQuery(adminAuditLogQuery) { account_id: accountId, type, ...query }: AdminAuditLogQuery,
  ): Promise<{ events: AuditEventView[]; next_cursor: string | null }> {
    const list = ['admin events', accountId ?? '', type ?? ''].join(' ');
    const { rows, nextCursor } = await readPage(list, query, (after, count) =>
      listAuditEvents(this.pool, { accountId, type }, after, count),
    );
    return { events: rows.map((event) => auditEventView(event)), next_cursor: nextCursor };
  }
}
