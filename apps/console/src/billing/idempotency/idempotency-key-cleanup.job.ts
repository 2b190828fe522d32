import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { BackgroundJobs, EVERY_TEN_MINUTES } from '@inference/jobs';

/** Rows of one statement, so that none holds its locks for long. */
const BATCH_ROWS = 1_000;
/** A client is not expected to repeat a request after 30 days. */
const DELETE_OLD = `
  DELETE FROM billing.idempotency_keys WHERE (account_id, operation, key) IN (
    SELECT account_id, operation, key FROM billing.idempotency_keys WHERE created_at < now() - interval '30 days'
    LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED)`;

/** Deletes old idempotency keys. Any number of consoles may run it at once. */
@Injectable()
export class IdempotencyKeyCleanupJob {
  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('delete-old-idempotency-keys', EVERY_TEN_MINUTES, () => this.run());
  }

  async run(): Promise<void> {
    while ((await this.database.query(DELETE_OLD)).rowCount === BATCH_ROWS);
  }
}
