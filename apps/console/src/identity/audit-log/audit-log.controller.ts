import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller } from '@inference/guards';
import { Database } from '@inference/database';
import { PageQuery, readPage } from '@inference/http';
import { auditEventView } from './audit-event-view';
import { AuditEventListResponse } from './audit-log.dto';
import { listSecurityEvents } from './audit-log.repository';

@Controller('api/auth/events')
@ApiTags('Credentials')
export class AuditLogController {
  constructor(private readonly database: Database) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listSecurityEvents',
    summary: 'Lists the security events of the signed-in account, newest first.',
  })
  @ApiOkResponse({ description: 'A page of events.', type: AuditEventListResponse })
  async list(
    @CurrentCaller() { accountId }: Caller,
    @Query() query: PageQuery,
  ): Promise<AuditEventListResponse> {
    const { rows, nextCursor } = await readPage(`events ${accountId}`, query, (after, count) =>
      listSecurityEvents(this.database, { accountId }, after, count),
    );
    return { events: rows.map((event) => auditEventView(event, accountId)), next_cursor: nextCursor };
  }
}
