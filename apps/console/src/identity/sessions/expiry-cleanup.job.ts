import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';

const INTERVAL_MILLIS = 600_000;
/** Rows of one statement, so that none holds its locks for long. */
const BATCH_ROWS = 1_000;

/** Rows are kept for a day after their expiry. */
const deleteExpired = (table: string, id: string) => `
  DELETE FROM accounts.${table} WHERE ${id} IN (
    SELECT ${id} FROM accounts.${table} WHERE expires_at < now() - interval '1 day'
    LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED)`;
/** A client is not expected to repeat a request after 30 days. */
const DELETE_IDEMPOTENCY_KEYS = `
  DELETE FROM billing.idempotency_keys WHERE (account_id, operation, key) IN (
    SELECT account_id, operation, key FROM billing.idempotency_keys WHERE created_at < now() - interval '30 days'
    LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED)`;
const STATEMENTS = [
  deleteExpired('sessions', 'id'),
  deleteExpired('login_challenges', 'id_hash'),
  DELETE_IDEMPOTENCY_KEYS,
];

/** Deletes expired sessions, login challenges and idempotency keys. Any number of consoles may run it at once. */
@Injectable()
export class ExpiryCleanupJob implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ExpiryCleanupJob.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), INTERVAL_MILLIS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  async run(): Promise<void> {
    try {
      for (const statement of STATEMENTS) while ((await this.pool.query(statement)).rowCount === BATCH_ROWS);
    } catch (error) {
      this.logger.warn(`Expired rows were not deleted: ${(error as Error).message}`);
    }
  }
}
