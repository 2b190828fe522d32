import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';

const INTERVAL_MILLIS = 60_000;
const JOBS = ['metering.ensure_partitions', 'wallet.sweep_leases', 'metering.forget_old_settlements'];

/** Regular work on the metering tables; every gateway does it, and it is safe to do at once. */
@Injectable()
export class HousekeepingService implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(HousekeepingService.name);
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
    for (const job of JOBS) {
      await this.pool
        .query(`SELECT ${job}()`)
        .catch((error: Error) => this.logger.warn(`Housekeeping failed at ${job}: ${error.message}`));
    }
  }
}
