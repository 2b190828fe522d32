import { type Executor } from '@inference/database';
import { waitFor } from '../wait-for';

/** Resolves when this many connections of the database wait for a lock of another transaction. */
export async function waitForLock(sql: Executor, count = 1): Promise<void> {
  await waitFor(async () => {
    const { rows } = await sql.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows.length >= count;
  });
}
