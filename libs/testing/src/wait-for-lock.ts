import { type Sql } from '@inference/database';
import { waitFor } from './wait-for';

/** Until so many in this database wait for somebody else's transaction. */
export async function waitForLock(sql: Sql, count = 1): Promise<void> {
  await waitFor(async () => {
    const { rows } = await sql.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows.length >= count;
  });
}
