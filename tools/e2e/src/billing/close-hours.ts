import { REBUILD_MARGINS, type TestPool, waitFor } from '@inference/testing';

/** Enough to close the hour of any usage. */
const BACK = `interval '2 hours'`;

/** Events are partitioned by month, and the moved ones may belong to the previous month. */
const MONTH_BEFORE = `
  DO $$ BEGIN
    EXECUTE format('CREATE TABLE IF NOT EXISTS metering.%I PARTITION OF metering.usage_events FOR VALUES FROM (%L) TO (%L)',
      'usage_events_' || to_char(date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month', 'YYYY_MM'),
      date_trunc('month', now(), 'UTC') - interval '1 month', date_trunc('month', now(), 'UTC'));
  END $$`;

const MOVES = [
  MONTH_BEFORE,
  `UPDATE metering.usage_events SET occurred_at = occurred_at - ${BACK}, started_at = started_at - ${BACK}`,
  `UPDATE metering.hourly_rollup SET hour = hour - ${BACK}`,
  `UPDATE wallet.transfers SET hour = hour - ${BACK}, created_at = created_at - ${BACK} WHERE kind = 'usage'`,
  "SELECT metering.forget_rollups('-infinity')",
  ...REBUILD_MARGINS,
];

/** Folds what waits, unless a gateway is folding it just now: that skips the account. */
async function everythingIsFolded(pool: TestPool): Promise<boolean> {
  const { rows } = await pool.query<{ waiting: bigint }>("SELECT waiting FROM metering.fold('0', 1000)");
  return rows[0]!.waiting === 0n;
}

/** Moves all usage two hours into the past, in all tables, so that its hours are closed. */
export async function closeHours(pool: TestPool): Promise<void> {
  await waitFor(() => everythingIsFolded(pool));
  await pool.transaction(async (client) => {
    for (const statement of MOVES) await client.query(statement);
  });
}
