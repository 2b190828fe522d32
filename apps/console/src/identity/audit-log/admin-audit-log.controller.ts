import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Roles } from '@inference/guards';
import { Database } from '@inference/database';
import { readPage } from '@inference/http';
import { auditEventView } from './audit-event-view';
import { AdminAuditLogQuery, AuditEventListResponse } from './audit-log.dto';
import { listSecurityEvents } from './audit-log.repository';

@Controller('api/admin/events')
@ApiTags('Administration of accounts')
@Roles('admin')
export class AdminAuditLogController {
  constructor(private readonly database: Database) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listAllSecurityEvents',
    summary: 'Lists the security events of all accounts, newest first.',
  })
  @ApiOkResponse({ description: 'A page of events.', type: AuditEventListResponse })
  async list(
    @Query() { account_id: accountId, type, ...query }: AdminAuditLogQuery,
  ): Promise<AuditEventListResponse> {
    const list = ['admin events', accountId ?? '', type ?? ''].join(' ');
    const { rows, nextCursor } = await readPage(list, query, (after, count) =>
      listSecurityEvents(this.database, { accountId, type }, after, count),
    );
    return { events: rows.map((event) => auditEventView(event)), next_cursor: nextCursor };
  }
}
