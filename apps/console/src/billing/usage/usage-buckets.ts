import { USAGE_LINES } from '@inference/metering';

/** `$4`: `day` or `hour`, `$5`: time zone. */
const bucketsOf = (lines: string): string => `
  buckets AS (
    SELECT date_trunc($4, at, $5) AS start, model, unit, sum(quantity) AS quantity, sum(cost_picos) AS cost_picos
    FROM ${lines} GROUP BY start, model, unit
  )
  -- A day that has midnight twice, as the clocks go back to it, starts with the first; date_trunc returns the second.
  SELECT least(start, (start AT TIME ZONE $5 - interval '1 microsecond') AT TIME ZONE $5 + interval '1 microsecond') AS bucket,
    model, unit, quantity, cost_picos
  FROM buckets ORDER BY bucket, model COLLATE "C", unit COLLATE "C"`;

/** SQL of the usage by buckets that begin with an hour of UTC; `$1` to `$3` are those of USAGE_LINES. */
export const BUCKETS_OF_WHOLE_HOURS = `WITH ${USAGE_LINES}, ${bucketsOf('usage_lines')}`;

/**
 * SQL of the usage by days of any zone. The hours of UTC in which a day of the zone ends are read from the events: the
 * LATERAL subquery with OFFSET keeps the planner from reading more events than those.
 */
export const BUCKETS_OF_SPLIT_HOURS = `
  WITH ${USAGE_LINES},
  split_hours AS MATERIALIZED (
    SELECT DISTINCT r.hour FROM metering.hourly_rollup r, bounds b
    WHERE r.account_id = $3 AND r.hour > b."from" - interval '1 hour' AND r.hour < b."to"
      AND date_trunc('day', r.hour, $5) <> date_trunc('day', r.hour + interval '1 hour' - interval '1 microsecond', $5)
  ),
  split_lines AS (
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
  ), ${bucketsOf('split_lines')}`;
