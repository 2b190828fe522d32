import { Injectable } from '@nestjs/common';
import { Database } from '@inference/database';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';

/** Rows of one statement, so that none holds its locks for long. */
const BATCH_ROWS = 1_000;
const DELETE_EXPIRED = 'SELECT accounts.delete_expired_login_attempts($1) AS deleted';

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
    let deleted: bigint;
    do {
      const { rows } = await this.database.query<{ deleted: bigint }>(DELETE_EXPIRED, [BATCH_ROWS]);
      deleted = rows[0]!.deleted;
    } while (deleted === BigInt(BATCH_ROWS));
  }
}
