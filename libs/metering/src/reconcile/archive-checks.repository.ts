import { type Check } from './check';

/** The days whose events are only in the archive. They count by their manifests from the moment on in which this is recorded. */
const DROPPED_DAYS = 'SELECT day FROM metering.archived_days WHERE dropped_at IS NOT NULL';

/** Whether the day of a time is one of them. */
export const isDropped = (at: string): string => `date_trunc('day', ${at}, 'UTC') IN (${DROPPED_DAYS})`;

/** The events that count by themselves, as rows of `usage_events`. */
export const EVENTS = `(SELECT * FROM metering.usage_events WHERE NOT ${isDropped('occurred_at')})`;

const UNALTERED = "encode(sha256(convert_to(d.manifest, 'UTF8')), 'hex') = d.manifest_sha256";

/** The manifests whose text is the recorded one, as (day, manifest). Others may be no JSON. */
const MANIFESTS = `SELECT day, CASE WHEN ${UNALTERED} THEN manifest::jsonb END AS manifest FROM metering.archived_days d`;

/**
 * The archive of usage events. That the events of a day are in no database and in no archive shows in the other checks: the rollup has
 * usage then that no event has.
 */
export const ARCHIVE_CHECKS: Check[] = [
  {
    name: 'the manifest of each archived day is the recorded one',
    sql: `SELECT d.day, d.manifest_sha256 FROM metering.archived_days d WHERE NOT ${UNALTERED}`,
  },
  {
    name: 'the manifest of each archived day = its rollup, per range of accounts',
    sql: `WITH files AS (
        SELECT d.day, f.* FROM (${MANIFESTS}) d CROSS JOIN jsonb_to_recordset(d.manifest -> 'files') AS f(name text,
          first_account_id text, last_account_id text, input_tokens numeric, output_tokens numeric, cost_picos numeric,
          cost_usd_picos numeric)
      ), accounts AS (
        SELECT date_trunc('day', hour, 'UTC') AS day, account_id COLLATE "C" AS account_id, sum(tokens) AS tokens,
          sum(cost_picos) AS cost, sum(cost_usd_picos) AS usd
        FROM metering.hourly_rollup WHERE date_trunc('day', hour, 'UTC') IN (SELECT day FROM metering.archived_days)
        GROUP BY 1, 2
      ), rollup AS (
        SELECT a.day, f.name, sum(a.tokens) AS tokens, sum(a.cost) AS cost, sum(a.usd) AS usd
        FROM accounts a LEFT JOIN files f
          ON f.day = a.day AND a.account_id >= f.first_account_id COLLATE "C" AND a.account_id <= f.last_account_id COLLATE "C"
        GROUP BY 1, 2
      )
      SELECT day, name AS file, (f.input_tokens + f.output_tokens)::text AS file_tokens, r.tokens::text AS rollup_tokens,
        f.cost_picos::text AS file_cost, r.cost::text AS rollup_cost, f.cost_usd_picos::text AS file_usd, r.usd::text AS rollup_usd
      FROM files f FULL JOIN rollup r USING (day, name)
      WHERE (f.input_tokens + f.output_tokens, f.cost_picos, f.cost_usd_picos) IS DISTINCT FROM (r.tokens, r.cost, r.usd)`,
  },
];
