import { Module } from '@nestjs/common';
import { AdminAuditLogController, AuditLogController } from './audit-log.controller';
import { AuditLogService } from './audit-log.service';

@Module({
  controllers: [AdminAuditLogController, AuditLogController],
  providers: [AuditLogService],
})
export class AuditLogModule {}
