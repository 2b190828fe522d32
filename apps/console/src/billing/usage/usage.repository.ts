import { type Executor } from '@inference/database';
import { type HourlyRollup, USAGE_LINES } from '@inference/metering';
import { type UsageRange } from './usage-range';

/** Usage of one model, in one unit, in the bucket that starts at `bucket`. */
type BucketUsage = Pick<HourlyRollup, 'model' | 'unit' | 'quantity' | 'costPicos'> & { bucket: Date };

/**
 * Usage of an account by bucket, model and unit; `$1` to `$3` are those of USAGE_LINES. `$4` are the starts of the
 * buckets (null: each hour of UTC is a bucket), `$5` the hours of UTC within which a bucket starts. These are read from the events:
 * the LATERAL subquery with OFFSET keeps the planner from reading more events than those.
 */
const BY_BUCKET = `
  WITH ${USAGE_LINES},
  split_hours AS MATERIALIZED (
    SELECT DISTINCT r.hour FROM metering.hourly_rollup r, bounds b
    WHERE r.account_id = $3 AND r.hour > b."from" - interval '1 hour' AND r.hour < b."to" AND r.hour = ANY ($5::timestamptz[])
  ),
  bucket_lines AS (
    SELECT at, model, unit, quantity, cost_picos FROM usage_lines WHERE at NOT IN (SELECT hour FROM split_hours)
    UNION ALL
    SELECT l.* FROM bounds b, split_hours h, LATERAL (
      SELECT e.occurred_at, e.model, l.unit, l.quantity, l.cost_picos
      FROM metering.usage_events e
      CROSS JOIN jsonb_to_recordset(e.lines) AS l(unit text, quantity numeric, cost_picos numeric)
      WHERE e.account_id = $3 AND e.occurred_at >= greatest(h.hour, b."from")
        AND e.occurred_at < least(h.hour + interval '1 hour', b."to")
      OFFSET 0
    ) l
  )
  SELECT coalesce(($4::timestamptz[])[width_bucket(at, $4::timestamptz[])], at) AS bucket, model, unit,
    sum(quantity) AS quantity, sum(cost_picos) AS "costPicos"
  FROM bucket_lines GROUP BY bucket, model, unit
  ORDER BY bucket, model COLLATE "C", unit COLLATE "C"`;

/** The account's usage of the range, sorted by bucket, model and unit. */
export async function readUsage(
  executor: Executor,
  accountId: string,
  { from, to, starts, splitHours }: UsageRange,
): Promise<BucketUsage[]> {
  return (await executor.query<BucketUsage>(BY_BUCKET, [from, to, accountId, starts, splitHours])).rows;
}
