import { Module } from '@nestjs/common';
import { BillingTablesJob } from './billing-tables.job';
import { RollupsJob } from './rollups.job';

/** Regular maintenance of the metering and lease tables, and the rollups. */
@Module({ providers: [BillingTablesJob, RollupsJob] })
export class MaintenanceModule {}
