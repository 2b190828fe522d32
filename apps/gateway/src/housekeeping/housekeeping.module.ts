import { Module } from '@nestjs/common';
import { HousekeepingJob } from './housekeeping.job';

/** Regular maintenance of the metering and lease tables. */
@Module({ providers: [HousekeepingJob] })
export class HousekeepingModule {}
