import { Module } from '@nestjs/common';
import { LostJobsJob } from './lost-jobs.job';

/** Gives rows that are due a job again if they have lost it. */
@Module({ providers: [LostJobsJob] })
export class LostJobsModule {}
