import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { BackgroundJobs, EVERY_TEN_MINUTES } from '@inference/jobs';
import { deleteOldIdempotencyKeys } from './idempotency-keys.repository';

/** Rows of one statement, so that none holds its locks for long. */
const BATCH_ROWS = 1_000;

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
    while ((await deleteOldIdempotencyKeys(this.database, BATCH_ROWS)) === BATCH_ROWS);
  }
}
