/**
 * SQL of the usage from `$1` (inclusive) to `$2` (exclusive; null: no end), as rows
 * (at, account_id, model, entrypoint, api_key_id, unit, quantity, tokens, cost_picos, cost_usd_picos) where `at` is the
 * start of the hour and `api_key_id` is '' for requests without a key. Whole hours are read from the rollup, and partial hours at both ends from the events, so any range is
 * exact. `$3` limits it to one account unless null. The text is a list of common table expressions to follow `WITH`.
 */
export const USAGE_LINES = `
  bounds AS (
    SELECT $1::timestamptz AS "from", coalesce($2::timestamptz, 'infinity') AS "to",
      date_trunc('hour', $1::timestamptz + interval '1 hour' - interval '1 microsecond', 'UTC') AS first_whole,
      date_trunc('hour', coalesce($2::timestamptz, 'infinity'), 'UTC') AS end_whole
  ),
  usage_lines AS (
    SELECT r.hour AS at, r.account_id, r.model, r.entrypoint, r.api_key_id, r.unit, r.quantity, r.tokens, r.cost_picos, r.cost_usd_picos
    FROM metering.hourly_rollup r, bounds b
    WHERE r.hour >= b.first_whole AND r.hour < b.end_whole AND ($3::text IS NULL OR r.account_id = $3)
    UNION ALL
    SELECT date_trunc('hour', e.occurred_at, 'UTC'), e.account_id, e.model, e.entrypoint,
      coalesce(e.api_key_id, ''), l.unit, l.quantity, l.tokens, l.cost_picos, l.cost_usd_picos
    FROM bounds b
    JOIN metering.usage_events e ON
      (e.occurred_at >= b."from" AND e.occurred_at < least(b.first_whole, b."to"))
      OR (e.occurred_at >= greatest(b.end_whole, b.first_whole) AND e.occurred_at < b."to")
    CROSS JOIN jsonb_to_recordset(e.lines)
      AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
    WHERE ($3::text IS NULL OR e.account_id = $3)
  )`;

/**
 * SQL of the same usage by bucket of time, as rows of USAGE_LINES with `bucket` in place of `at`, to follow `WITH`. `$4` and `$5`
 * are `starts` and `splitHours` of TimeBuckets. The events of the split hours are read one by one: the LATERAL subquery with
 * OFFSET keeps the planner from reading more events than those.
 */
export const BUCKET_LINES = `${USAGE_LINES},
  split_hours AS MATERIALIZED (
    SELECT DISTINCT r.hour FROM metering.hourly_rollup r, bounds b
    WHERE ($3::text IS NULL OR r.account_id = $3) AND r.hour > b."from" - interval '1 hour' AND r.hour < b."to"
      AND r.hour = ANY ($5::timestamptz[])
  ),
  timed_lines AS (
    SELECT * FROM usage_lines WHERE at NOT IN (SELECT hour FROM split_hours)
    UNION ALL
    SELECT l.* FROM bounds b, split_hours h, LATERAL (
      SELECT e.occurred_at, e.account_id, e.model, e.entrypoint, coalesce(e.api_key_id, ''),
        l.unit, l.quantity, l.tokens, l.cost_picos, l.cost_usd_picos
      FROM metering.usage_events e
      CROSS JOIN jsonb_to_recordset(e.lines)
        AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
      WHERE ($3::text IS NULL OR e.account_id = $3) AND e.occurred_at >= greatest(h.hour, b."from")
        AND e.occurred_at < least(h.hour + interval '1 hour', b."to")
      OFFSET 0
    ) l
  ),
  bucket_lines AS (
    SELECT coalesce(($4::timestamptz[])[width_bucket(at, $4::timestamptz[])], at) AS bucket, account_id, model, entrypoint,
      api_key_id, unit, quantity, tokens, cost_picos, cost_usd_picos
    FROM timed_lines
  )`;
