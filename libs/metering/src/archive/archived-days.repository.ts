import { type Executor } from '@inference/database';

/** The end of the last day whose events are only in the archive; null: all events are in the database. */
export async function readArchivedUntil(executor: Executor): Promise<Date | null> {
  const { rows } = await executor.query<{ until: Date | null }>(
    `SELECT max(day) + interval '24 hours' AS until FROM metering.archived_days WHERE dropped_at IS NOT NULL`,
  );
  return rows[0]!.until;
}

/**
 * The end of the last day on which the account has usage whose events are only in the archive; null: there is none.
 *
 * @param period ISO 8601: only usage of hours that are in it at least in part; `to` is exclusive
 */
export async function readAccountArchivedUntil(
  executor: Executor,
  accountId: string,
  { from, to }: { from?: string | undefined; to?: string | undefined } = {},
): Promise<Date | null> {
  const { rows } = await executor.query<{ until: Date }>(
    `SELECT d.day + interval '24 hours' AS until FROM metering.hourly_rollup r
     JOIN metering.archived_days d ON d.day = date_trunc('day', r.hour, 'UTC') AND d.dropped_at IS NOT NULL
     WHERE r.account_id = $1
       AND r.hour < (SELECT max(day) + interval '24 hours' FROM metering.archived_days WHERE dropped_at IS NOT NULL)
       AND ($2::timestamptz IS NULL OR r.hour > $2::timestamptz - interval '1 hour')
       AND ($3::timestamptz IS NULL OR r.hour < $3::timestamptz)
     ORDER BY r.hour DESC LIMIT 1`,
    [accountId, from ?? null, to ?? null],
  );
  return rows[0]?.until ?? null;
}

/** Whose usage is meant. Null: of all accounts, and of all keys. */
export interface UsageOwner {
  accountId: string | null;
  apiKeyId?: string | null;
}

/** The first of these hours of UTC (ISO 8601) whose events are only in the archive; null: none is. Hours without usage do not count. */
export async function findArchivedHour(
  executor: Executor,
  hours: string[],
  { accountId, apiKeyId = null }: UsageOwner,
): Promise<Date | null> {
  const { rows } = await executor.query<{ hour: Date | null }>(
    `SELECT min(r.hour) AS hour FROM metering.hourly_rollup r
     JOIN metering.archived_days d ON d.day = date_trunc('day', r.hour, 'UTC') AND d.dropped_at IS NOT NULL
     WHERE r.hour = ANY ($1::timestamptz[]) AND ($2::text IS NULL OR r.account_id = $2)
       AND ($3::text IS NULL OR r.api_key_id = $3)`,
    [hours, accountId, apiKeyId],
  );
  return rows[0]!.hour;
}
