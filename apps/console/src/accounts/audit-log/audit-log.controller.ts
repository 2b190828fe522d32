import { type Caller, CurrentCaller, Roles } from '@inference/guards';
import { PageQuery } from '@inference/http';
import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminAuditLogQuery, AuditEventListResponse } from './audit-log.dto';
import { AuditLogService } from './audit-log.service';

@Controller('api/auth/events')
@ApiTags('Credentials')
export class AuditLogController {
  constructor(private readonly auditLog: AuditLogService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listSecurityEvents',
    summary: 'Lists the security events of the signed-in account, newest first.',
  })
  @ApiOkResponse({ description: 'A page of events.', type: AuditEventListResponse })
  list(@CurrentCaller() { accountId }: Caller, @Query() query: PageQuery): Promise<AuditEventListResponse> {
    return this.auditLog.list(accountId, query);
  }
}

@Controller('api/admin/events')
@ApiTags('Administration of accounts')
@Roles('admin')
export class AdminAuditLogController {
  constructor(private readonly auditLog: AuditLogService) {}

  @Get()
  @Header('Cache-Control', 'no-store')
  @ApiOperation({
    operationId: 'listAllSecurityEvents',
    summary: 'Lists the security events of all accounts, newest first.',
  })
  @ApiOkResponse({ description: 'A page of events.', type: AuditEventListResponse })
  list(@Query() query: AdminAuditLogQuery): Promise<AuditEventListResponse> {
    return this.auditLog.listAll(query);
  }
}
