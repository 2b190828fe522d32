import { type Sql } from '@inference/database';
import { waitFor } from './wait-for';

/** Until somebody in this database waits for somebody else's transaction. */
export async function waitForLock(sql: Sql): Promise<void> {
  await waitFor(async () => {
    const { rowCount } = await sql.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rowCount !== null && rowCount > 0;
  });
}
