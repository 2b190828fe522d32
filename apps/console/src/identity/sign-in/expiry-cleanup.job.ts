import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { BackgroundJobs, EVERY_TEN_MINUTES } from '@inference/jobs';
import { deleteExpiredSessions } from '../sessions/sessions.repository';
import { deleteExpiredChallenges } from './login-challenges.repository';

/** Rows of one statement, so that none holds its locks for long. */
const BATCH_ROWS = 1_000;

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
    for (const deleteExpired of [deleteExpiredSessions, deleteExpiredChallenges])
      while ((await deleteExpired(this.database, BATCH_ROWS)) === BATCH_ROWS);
  }
}
