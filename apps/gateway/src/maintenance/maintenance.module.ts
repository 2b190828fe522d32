import { Module } from '@nestjs/common';
import { BillingTablesJob } from './billing-tables.job';

/** Regular maintenance of the metering and lease tables. */
@Module({ providers: [BillingTablesJob] })
export class MaintenanceModule {}
