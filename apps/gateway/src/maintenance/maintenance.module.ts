import { Module } from '@nestjs/common';
import { BillingTablesJob, RollupsJob } from './maintenance.job';

/** Regular maintenance of the metering and lease tables, and the rollups. */
@Module({ providers: [BillingTablesJob, RollupsJob] })
export class MaintenanceModule {}
