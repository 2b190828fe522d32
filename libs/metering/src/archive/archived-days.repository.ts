import { type Executor } from '@inference/database';

/** The end of the last day whose events are only in the archive; null: all events are in the database. */
export async function readArchivedUntil(executor: Executor): Promise<Date | null> {
  const { rows } = await executor.query<{ until: Date | null }>(
    `SELECT max(day) + interval '24 hours' AS until FROM metering.archived_days WHERE dropped_at IS NOT NULL`,
  );
  return rows[0]!.until;
}

/**
 * The first of these hours of UTC (ISO 8601) whose events are only in the archive; null: none is. Hours without usage do not count.
 *
 * @param accountId whose usage is meant; null: all accounts'
 */
export async function findArchivedHour(
  executor: Executor,
  hours: string[],
  accountId: string | null,
): Promise<Date | null> {
  const { rows } = await executor.query<{ hour: Date | null }>(
    `SELECT min(r.hour) AS hour FROM metering.hourly_rollup r
     JOIN metering.archived_days d ON d.day = date_trunc('day', r.hour, 'UTC') AND d.dropped_at IS NOT NULL
     WHERE r.hour = ANY ($1::timestamptz[]) AND ($2::text IS NULL OR r.account_id = $2)`,
    [hours, accountId],
  );
  return rows[0]!.hour;
}
