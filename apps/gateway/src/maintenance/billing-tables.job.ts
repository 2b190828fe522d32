import { Database } from '@inference/database';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import { Injectable, Logger } from '@nestjs/common';
import { MAINTENANCE_FUNCTIONS, runMaintenance } from './maintenance.repository';

/** Runs the maintenance functions of the metering, wallet and limits schemas, at the start and every minute. */
@Injectable()
export class BillingTablesJob {
  private readonly logger = new Logger(BillingTablesJob.name);

  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.onceAvailable(() => this.run());
    jobs.schedule('maintain-billing-tables', EVERY_MINUTE, () => this.run());
  }

  private async run(): Promise<void> {
    for (const name of MAINTENANCE_FUNCTIONS) {
      await runMaintenance(this.database, name).catch((error: Error) =>
        this.logger.warn(`Maintenance failed at ${name}: ${error.message}`),
      );
    }
  }
}
