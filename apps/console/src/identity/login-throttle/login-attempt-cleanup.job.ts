import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import { deleteExpiredLoginAttempts } from './login-attempts.repository';

/** Rows of one statement, so that none holds its locks for long. */
const BATCH_ROWS = 1_000;

/** Deletes login attempts that no longer count against anybody. */
@Injectable()
export class LoginAttemptCleanupJob {
  constructor(
    private readonly database: Database,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('delete-old-login-attempts', EVERY_MINUTE, () => this.run());
  }

  private async run(): Promise<void> {
    while ((await deleteExpiredLoginAttempts(this.database, BATCH_ROWS)) === BigInt(BATCH_ROWS));
  }
}
