import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';

const INTERVAL_MILLIS = 60_000;
const FUNCTIONS = [
  'metering.ensure_partitions',
  'wallet.reclaim_expired_leases',
  'metering.delete_old_settlements',
];

/** Runs the maintenance functions of the metering and wallet schemas. Every gateway runs them; they are safe to run concurrently. */
@Injectable()
export class HousekeepingJob implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(HousekeepingJob.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), INTERVAL_MILLIS);
    void this.run();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async run(): Promise<void> {
    for (const name of FUNCTIONS) {
      await this.pool
        .query(`SELECT ${name}()`)
        .catch((error: Error) => this.logger.warn(`Housekeeping failed at ${name}: ${error.message}`));
    }
  }
}
