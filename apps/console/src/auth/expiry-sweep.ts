import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { SQL_POOL, type SqlPool } from '@inference/database';

const SWEEP_MILLIS = 600_000;
const SWEEP_ROWS = 1_000;

/** A day after their end nobody asks for them any more. */
const sweepOf = (table: string, id: string) => `
  DELETE FROM accounts.${table} WHERE ${id} IN (
    SELECT ${id} FROM accounts.${table} WHERE expires_at < now() - interval '1 day'
    LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED)`;
/** Nobody repeats a request after so long. */
const SWEEP_IDEMPOTENCY_KEYS = `
  DELETE FROM billing.idempotency_keys WHERE (account_id, operation, key) IN (
    SELECT account_id, operation, key FROM billing.idempotency_keys WHERE created_at < now() - interval '30 days'
    LIMIT ${SWEEP_ROWS} FOR UPDATE SKIP LOCKED)`;
const SWEEPS = [sweepOf('sessions', 'id'), sweepOf('login_challenges', 'id_hash'), SWEEP_IDEMPOTENCY_KEYS];

/** Deletes sessions, challenges and idempotency keys that are over; safe to run from every console at once. */
@Injectable()
export class ExpirySweep implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ExpirySweep.name);
  private timer: NodeJS.Timeout | undefined;

  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), SWEEP_MILLIS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  async run(): Promise<void> {
    try {
      for (const sweep of SWEEPS) while ((await this.pool.query(sweep)).rowCount === SWEEP_ROWS);
    } catch (error) {
      this.logger.warn(`What is over was not deleted: ${(error as Error).message}`);
    }
  }
}
