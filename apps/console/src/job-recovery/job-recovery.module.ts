import { Database } from '@inference/database';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import { Injectable, Logger, Module } from '@nestjs/common';
import { rescheduleLostJobs } from './lost-jobs.repository';

/**
 * Adds a job for each row that has been due for a minute and has none that waits: a process died between taking the job and
 * claiming the row. A row that was claimed has a job at the end of its claim (migration 0017, ADR 19).
 */
@Injectable()
export class JobRecoveryJob {
  private readonly logger = new Logger(JobRecoveryJob.name);

  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('reschedule-lost-jobs', EVERY_MINUTE, () => this.run());
  }

  async run(): Promise<void> {
    const count = await rescheduleLostJobs(this.database);
    if (count > 0n) this.logger.warn(`${count} rows had lost their job and have a new one`);
  }
}

/** Gives rows that are due a job again if they have lost it. */
@Module({ providers: [JobRecoveryJob] })
export class JobRecoveryModule {}
