import { Inject, Injectable, Logger } from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';

const RESCHEDULE = 'SELECT scheduling.reschedule_lost() AS count';

/** Gives each row that has been due for a minute and has no job a new one: its host died just after it took the job. */
@Injectable()
export class LostJobsJob {
  private readonly logger = new Logger(LostJobsJob.name);

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('reschedule-lost-jobs', EVERY_MINUTE, () => this.run());
  }

  async run(): Promise<void> {
    const { rows } = await this.pool.query<{ count: bigint }>(RESCHEDULE);
    const { count } = rows[0]!;
    if (count > 0n) this.logger.warn(`${count} rows had lost their job and have a new one`);
  }
}
