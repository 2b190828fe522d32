import { type Caller, CurrentCaller, StaffOnly } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { Controller, Get, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { ListOrCsv } from '../../lists/csv-list';
import { AdminAuditLogQuery, AuditEventListResponse } from './audit-log.dto';
import { AuditLogService } from './audit-log.service';

const COLUMNS = 'id type account_id actor actor_id address user_agent details created_at'.split(' ');

@Controller('api/auth/events')
@ApiTags('Credentials')
export class AuditLogController {
  constructor(private readonly auditLog: AuditLogService) {}

  @Get()
  @ApiOperation({
    operationId: 'listSecurityEvents',
    summary: 'Lists the security events of the signed-in account, newest first.',
  })
  @ListOrCsv({
    description: 'A page of events.',
    type: AuditEventListResponse,
    rows: 'events',
    columns: COLUMNS,
  })
  list(@CurrentCaller() { accountId }: Caller, @Query() query: PageQuery): Promise<AuditEventListResponse> {
    return this.auditLog.list(accountId, query);
  }
}

@Controller('api/admin/events')
@ApiTags('Administration of accounts')
@StaffOnly()
export class AdminAuditLogController {
  constructor(private readonly auditLog: AuditLogService) {}

  @Get()
  @ApiOperation({
    operationId: 'listAllSecurityEvents',
    summary: 'Lists the security events of all accounts, newest first.',
  })
  @ListOrCsv({
    description: 'A page of events.',
    type: AuditEventListResponse,
    rows: 'events',
    columns: COLUMNS,
  })
  list(@Query() query: AdminAuditLogQuery): Promise<AuditEventListResponse> {
    return this.auditLog.listAll(query);
  }
}
