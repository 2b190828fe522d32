/** @import { Executor } from '../../../libs/database/src/index' */

/** @typedef {import('../../../apps/router-cost/src/cost/cost.repository').CostReport} CostReport */

/** @type {Record<string, string>} */
const COLUMNS = { user: 'account_id', model: 'model', entrypoint: 'entrypoint', api_key: 'api_key_id' };

/** The statement from before there were days and months: whole hours from the hourly rollup, the rest from the events. */
const LINES = `
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
 * @param {Executor} database
 * @param {CostReport} report without buckets
 * @returns {Promise<{ keys: string[], costUsdPicos: bigint, tokens: bigint }[]>}
 */
export async function readFromHours(database, { from, to, accountId, names, limit }) {
  const columns = names.map((name) => COLUMNS[name]).join(', ');
  const { rows } = await database.query(
    `WITH ${LINES}, groups AS (
      SELECT ARRAY[${columns}]::text[] COLLATE "C" AS keys,
        coalesce(sum(cost_usd_picos), 0) AS cost_usd_picos, coalesce(sum(tokens), 0) AS tokens
      FROM usage_lines GROUP BY ${columns || '()'}
    )
    SELECT keys, cost_usd_picos AS "costUsdPicos", tokens FROM groups ORDER BY cost_usd_picos DESC, keys LIMIT $4`,
    [from, to, accountId, limit],
  );
  return rows;
}

/** A month of 744 hours that has ended. */
export const MONTH = { from: '2024-01-01T00:00:00.000000Z', to: '2024-02-01T00:00:00.000000Z' };
const HOURS = 744;
const HOURS_PER_STATEMENT = 12;
/** Three of the eight pairs of model and entrypoint that an account uses, each with input and output tokens. */
const ROWS_PER_HOUR = 6;
const MODELS = 12;

/** @param {number} rows @returns {number} accounts that are active in each hour */
export const accountsOf = (rows) => Math.max(1, Math.round(rows / (HOURS * ROWS_PER_HOUR)));

/** The rows of `$2` hours from the hour `$3` of the month on, of `$1` accounts. */
const FILL = `
  INSERT INTO metering.hourly_rollup
    (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos)
  SELECT a.id, timestamptz '${MONTH.from}' + h * interval '1 hour', 'model-' || ((a.n + c) % ${MODELS}),
    (ARRAY['gateway', 'agent', 'memo'])[1 + c % 3], u.unit, 'key_' || substr(a.id, 6, 21) || c % 2, t, t, t * 500000, t * 500000
  FROM generate_series($3::int, $3::int + $2::int - 1) h
  CROSS JOIN (SELECT n, 'acct_' || left(md5(n::text), 22) AS id FROM generate_series(1, $1::int) n) a
  CROSS JOIN generate_series(0, 2) i
  CROSS JOIN (VALUES ('per_million_input_tokens', 3), ('per_million_output_tokens', 1)) AS u (unit, weight)
  CROSS JOIN LATERAL (SELECT (a.n + h * 3 + i) % 8 AS c, ((a.n * 7919::bigint + h * 104729 + i * 1299709) % 99991 + 10) * u.weight AS t) v`;

/**
 * Replaces the hourly rollup by a month of this many rows, as settlement leaves it: in the order of the hours. The indexes are
 * built at the end.
 * @param {Executor} database
 * @param {number} rows
 * @param {AbortSignal} signal
 */
export async function fillMonth(database, rows, signal) {
  await database.query("TRUNCATE metering.hourly_rollup; SELECT metering.forget_rollups('-infinity')");
  await database.query('ALTER TABLE metering.hourly_rollup DROP CONSTRAINT hourly_rollup_pkey');
  await database.query('DROP INDEX metering.hourly_rollup_hour');
  for (let hour = 0; hour < HOURS; hour += HOURS_PER_STATEMENT) {
    signal.throwIfAborted();
    await database.query(FILL, [accountsOf(rows), Math.min(HOURS_PER_STATEMENT, HOURS - hour), hour]);
  }
  await database.query(
    'ALTER TABLE metering.hourly_rollup ADD PRIMARY KEY (account_id, hour, model, entrypoint, unit, api_key_id)',
  );
  await database.query('CREATE INDEX hourly_rollup_hour ON metering.hourly_rollup (hour)');
  await database.query('VACUUM ANALYZE metering.hourly_rollup');
}
