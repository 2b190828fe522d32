import { Module } from '@nestjs/common';
import { AdminAuditLogController } from './admin-audit-log.controller';
import { AuditLogController } from './audit-log.controller';

@Module({
  controllers: [AdminAuditLogController, AuditLogController],
})
export class AuditLogModule {}
