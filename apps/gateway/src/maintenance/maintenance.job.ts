import { Database } from '@inference/database';
import { Metrics } from '@inference/http';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import { Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import {
  MAINTENANCE_FUNCTIONS,
  readRolledUntil,
  rollUpHours,
  runMaintenance,
} from './maintenance.repository';

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

/**
 * Rolls closed hours up into days and months, for reports. Each step is a transaction, so a process that dies loses one step
 * at most, and the next run goes on from there.
 */
@Injectable()
export class RollupsJob {
  private readonly rolledUntil: Gauge;

  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
    metrics: Metrics,
  ) {
    this.rolledUntil = new Gauge({
      name: 'gateway_rolled_until_timestamp_seconds',
      help: 'End of the hours of usage that are added up by days and months.',
      registers: [metrics.registry],
      aggregator: 'max',
    });
    jobs.schedule('roll-up-hours', EVERY_MINUTE, (signal) => this.run(signal));
  }

  private async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted && (await rollUpHours(this.database)));
    } finally {
      this.rolledUntil.set((await readRolledUntil(this.database)) ?? 0);
    }
  }
}
