import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { BackgroundJobs, EVERY_TEN_MINUTES } from '@inference/jobs';

/** Rows of one statement, so that none holds its locks for long. */
const BATCH_ROWS = 1_000;

/** Rows are kept for a day after their expiry. */
const deleteExpired = (table: string, id: string) => `
  DELETE FROM accounts.${table} WHERE ${id} IN (
    SELECT ${id} FROM accounts.${table} WHERE expires_at < now() - interval '1 day'
    LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED)`;
const STATEMENTS = [deleteExpired('sessions', 'id'), deleteExpired('login_challenges', 'id_hash')];

/** Deletes expired sessions and login challenges. Any number of consoles may run it at once. */
@Injectable()
export class ExpiryCleanupJob {
  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('delete-expired-sessions', EVERY_TEN_MINUTES, () => this.run());
  }

  async run(): Promise<void> {
    for (const statement of STATEMENTS)
      while ((await this.database.query(statement)).rowCount === BATCH_ROWS);
  }
}
