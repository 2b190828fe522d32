/**
 * SQL of the usage from `$1` (inclusive) to `$2` (exclusive; null: no end), as rows
 * (at, account_id, model, entrypoint, unit, quantity, tokens, cost_picos, cost_usd_picos) where `at` is the
 * start of the hour. Whole hours are read from the rollup, and partial hours at both ends from the events, so any range is
 * exact. `$3` limits it to one account unless null. The text is a list of common table expressions to follow `WITH`.
 */
export const USAGE_LINES = `
  bounds AS (
    SELECT $1::timestamptz AS "from", coalesce($2::timestamptz, 'infinity') AS "to",
      date_trunc('hour', $1::timestamptz + interval '1 hour' - interval '1 microsecond', 'UTC') AS first_whole,
      date_trunc('hour', coalesce($2::timestamptz, 'infinity'), 'UTC') AS end_whole
  ),
  usage_lines AS (
    SELECT r.hour AS at, r.account_id, r.model, r.entrypoint, r.unit, r.quantity, r.tokens, r.cost_picos, r.cost_usd_picos
    FROM metering.hourly_rollup r, bounds b
    WHERE r.hour >= b.first_whole AND r.hour < b.end_whole AND ($3::text IS NULL OR r.account_id = $3)
    UNION ALL
    SELECT date_trunc('hour', e.occurred_at, 'UTC'), e.account_id, e.model, e.entrypoint,
      l.unit, l.quantity, l.tokens, l.cost_picos, l.cost_usd_picos
    FROM bounds b
    JOIN metering.usage_events e ON
      (e.occurred_at >= b."from" AND e.occurred_at < least(b.first_whole, b."to"))
      OR (e.occurred_at >= greatest(b.end_whole, b.first_whole) AND e.occurred_at < b."to")
    CROSS JOIN jsonb_to_recordset(e.lines)
      AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
    WHERE ($3::text IS NULL OR e.account_id = $3)
  )`;
