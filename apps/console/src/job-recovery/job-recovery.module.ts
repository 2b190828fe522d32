import { Module } from '@nestjs/common';
import { JobRecoveryJob } from './job-recovery.job';

/** Gives rows that are due a job again if they have lost it. */
@Module({ providers: [JobRecoveryJob] })
export class JobRecoveryModule {}
