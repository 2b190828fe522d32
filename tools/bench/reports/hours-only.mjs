/** @import { Executor } from '../../../libs/database/src/index.ts' */

/** @typedef {import('../../../apps/router-cost/src/cost/cost.repository.ts').CostReport} CostReport */

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
