import { Module } from '@nestjs/common';
import { AuditLogModule } from './audit-log/audit-log.module';

/** Accounts and what happened to them: what every other area refers to. */
@Module({ imports: [AuditLogModule] })
export class AccountsModule {}
