import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';

const INTERVAL_MILLIS = 60_000;
/** Rows of one statement, so that none holds its locks for long. */
const BATCH_ROWS = 1_000;
const DELETE_EXPIRED = 'SELECT accounts.delete_expired_login_attempts($1) AS deleted';

/** Deletes login attempts that no longer count against anybody. */
@Injectable()
export class LoginAttemptCleanupJob implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(LoginAttemptCleanupJob.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), INTERVAL_MILLIS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async run(): Promise<void> {
    try {
      let deleted: bigint;
      do {
        const { rows } = await this.pool.query<{ deleted: bigint }>(DELETE_EXPIRED, [BATCH_ROWS]);
        deleted = rows[0]!.deleted;
      } while (deleted === BigInt(BATCH_ROWS));
    } catch (error) {
      this.logger.warn(`Old login attempts were not deleted: ${(error as Error).message}`);
    }
  }
}
