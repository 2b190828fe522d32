import { Module } from '@nestjs/common';
import { AdminAuditLogController, AuditLogController } from './audit-log/audit-log.controller';
import { AuditLogService } from './audit-log/audit-log.service';

@Module({
  controllers: [AdminAuditLogController, AuditLogController],
  providers: [AuditLogService],
})
class AuditLogModule {}

/** Accounts and what happened to them: what every other area refers to. */
@Module({ imports: [AuditLogModule] })
export class AccountsModule {}
