import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import { rollUpHours } from './rollups.repository';

/**
 * Rolls closed hours up into days and months, for reports. Each step is a transaction, so a process that dies loses one step
 * at most, and the next run goes on from there.
 */
@Injectable()
export class RollupsJob {
  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('roll-up-hours', EVERY_MINUTE, (signal) => this.run(signal));
  }

  private async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await rollUpHours(this.database)));
  }
}
