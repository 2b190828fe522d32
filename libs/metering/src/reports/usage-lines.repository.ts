import { type RollupPeriod } from './time-buckets';

/**
 * What a report distinguishes: `usage` all of it; `account_costs` neither API keys nor units; `site_costs` not even accounts.
 * The less it distinguishes, the fewer rows are read.
 */
export type LineDetail = 'usage' | 'account_costs' | 'site_costs';

interface Source {
  /** The columns of a line besides `at`. */
  columns: string[];
  /** Holds the hours that are rolled up. */
  hours: string;
  days: string;
  months: string;
}

/** The rollup with what waits to be folded into it. */
const HOURLY_USAGE = 'metering.hourly_usage';
const SOURCES: Record<LineDetail, Source> = {
  usage: {
    columns: [
      ...['account_id', 'model', 'entrypoint', 'api_key_id', 'unit'],
      ...['quantity', 'tokens', 'cost_picos', 'cost_usd_picos'],
    ],
    hours: HOURLY_USAGE,
    days: 'metering.daily_rollup',
    months: 'metering.monthly_rollup',
  },
  account_costs: {
    columns: ['account_id', 'model', 'entrypoint', 'tokens', 'cost_usd_picos'],
    hours: HOURLY_USAGE,
    days: 'metering.account_daily_costs',
    months: 'metering.account_monthly_costs',
  },
  site_costs: {
    columns: ['model', 'entrypoint', 'tokens', 'cost_usd_picos'],
    hours: 'metering.site_hourly_costs',
    days: 'metering.site_daily_costs',
    months: 'metering.site_monthly_costs',
  },
};

/** Columns of an event under other names, and of its parts. */
const EVENT_COLUMNS: Record<string, string> = {
  account_id: 'e.account_id',
  model: 'e.model',
  entrypoint: 'e.entrypoint',
  api_key_id: "coalesce(e.api_key_id, '') AS api_key_id",
};

const startOf = (unit: 'hour' | 'day' | 'month', at: string) => `date_trunc('${unit}', ${at}, 'UTC')`;
/** The start of a unit at or after a time. The interval is at least as long as every such unit and shorter than two. */
const nextStartOf = (unit: 'hour' | 'day' | 'month', at: string) =>
  startOf(
    unit,
    `${startOf(unit, `${at} - interval '1 microsecond'`)} + interval '${{ hour: 1, day: 24, month: 768 }[unit]} hours'`,
  );

/** From the watermark on there are hours only. The last day and the last month before it are there in part. */
const dayEnd = `CASE WHEN whole_to >= rolled THEN ${nextStartOf('day', 'rolled')} ELSE ${startOf('day', 'whole_to')} END`;
const daysEnd: Record<RollupPeriod, string> = {
  hour: "'-infinity'::timestamptz",
  day: dayEnd,
  month: dayEnd,
};
const monthsEnd: Record<RollupPeriod, string> = {
  hour: "'-infinity'::timestamptz",
  day: "'-infinity'::timestamptz",
  month: `CASE WHEN days_to >= rolled_day THEN ${nextStartOf('month', 'rolled_day')} ELSE ${startOf('month', 'days_to')} END`,
};

/**
 * Which times are read from where. All ranges include their start and exclude their end, and are empty if they end before it.
 * First the bounds of whole hours; below the watermark, the days between them; and of these days the whole months. What is left
 * is read at both ends: `head_` and `tail_` from the hours, `first_` and `last_` from the days.
 */
const ranges = (coarsest: RollupPeriod) => `
  whole AS (
    SELECT $1::timestamptz AS "from", coalesce($2::timestamptz, 'infinity') AS "to",
      ${nextStartOf('hour', '$1::timestamptz')} AS whole_from,
      ${startOf('hour', "coalesce($2::timestamptz, 'infinity')")} AS whole_to, p.rolled, ${startOf('day', 'p.rolled')} AS rolled_day
    FROM (SELECT coalesce((SELECT rolled_until FROM metering.rollup_progress), '-infinity') AS rolled) p
  ),
  days AS (SELECT *, ${nextStartOf('day', 'whole_from')} AS days_from, ${daysEnd[coarsest]} AS days_to FROM whole),
  months AS (SELECT *, ${nextStartOf('month', 'days_from')} AS months_from, ${monthsEnd[coarsest]} AS months_to FROM days),
  bounds AS MATERIALIZED (
    SELECT *,
      CASE WHEN days_from < days_to THEN days_from ELSE least(whole_to, greatest(rolled, whole_from)) END AS head_to,
      CASE WHEN whole_to >= rolled THEN greatest(rolled, whole_from) WHEN days_from < days_to THEN days_to ELSE 'infinity' END AS tail_from,
      CASE WHEN months_from < months_to THEN months_from ELSE days_to END AS first_to,
      CASE WHEN months_from >= months_to THEN 'infinity' WHEN days_to >= rolled_day THEN rolled_day ELSE months_to END AS last_from
    FROM months
  )`;

/** Scalar subqueries instead of a join: PostgreSQL evaluates them once, and finds indexes and partitions by their values. */
const between = (column: string, from: string, to: string) =>
  `${column} >= (SELECT ${from} FROM bounds) AND ${column} < (SELECT ${to} FROM bounds)`;

/**
 * The subquery hides the account from the planner, which then plans for an account of average size. For an account with a
 * large share of the table it would read the rows of all accounts in the order of their times, because they lie together.
 */
const OF_ACCOUNT = '($3::text IS NULL OR account_id = (SELECT $3::text))';

/** The parts of the events in a range. */
function eventLines({ columns }: Source, [from, to]: [from: string, to: string]): string {
  return `
    SELECT ${startOf('hour', 'e.occurred_at')}, ${columns.map((column) => EVENT_COLUMNS[column] ?? `l.${column}`).join(', ')}
    FROM metering.usage_events e
    CROSS JOIN jsonb_to_recordset(e.lines)
      AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
    WHERE ${between('e.occurred_at', from, to)} AND ${OF_ACCOUNT}`;
}

/**
 * SQL of the usage from `$1` (inclusive) to `$2` (exclusive; null: no end), as rows
 * (at, account_id, model, entrypoint, api_key_id, unit, quantity, tokens, cost_picos, cost_usd_picos), or those of them that the detail
 * has. `at` is the start of an hour of UTC, or of a day or month that lies in the range as a whole, but none coarser than `coarsest`;
 * `api_key_id` is '' for requests without a key. Whole months and days are read from their rollups as far as these are filled, other
 * whole hours from the hourly one, and partial hours at both ends from the events, so any range is exact. `$3` limits it to one
 * account unless null; `site_costs` are those of all accounts. The text is a list of common table expressions to follow `WITH`.
 */
export function usageLines(detail: LineDetail, coarsest: RollupPeriod): string {
  const source = SOURCES[detail];
  const read = (table: string, time: string, from: string, to: string) => `
    SELECT ${time} AS at, ${source.columns.join(', ')} FROM ${table}
    WHERE ${between(time, from, to)}${source.columns.includes('account_id') ? ` AND ${OF_ACCOUNT}` : ''}`;
  const { hours, days, months } = source;
  const lines = [
    read(hours, 'hour', 'whole_from', 'head_to'),
    ...(hours === HOURLY_USAGE ? [] : [read(hours, 'hour', 'tail_from', 'least(rolled, whole_to)')]),
    read(
      HOURLY_USAGE,
      'hour',
      hours === HOURLY_USAGE ? 'tail_from' : 'greatest(tail_from, rolled)',
      'whole_to',
    ),
    ...(coarsest === 'hour'
      ? []
      : [read(days, 'day', 'days_from', 'first_to'), read(days, 'day', 'last_from', 'days_to')]),
    ...(coarsest === 'month' ? [read(months, 'month', 'months_from', 'months_to')] : []),
    eventLines(source, ['"from"', 'least(whole_from, "to")']),
    eventLines(source, ['greatest(whole_to, whole_from)', '"to"']),
  ];
  return `${ranges(coarsest)},
  usage_lines AS (${lines.join('\n    UNION ALL')}
  )`;
}

/**
 * SQL of the same usage by bucket of time, as rows of `usageLines` with `bucket` in place of `at`, to follow `WITH`. `$4` and `$5`
 * are `starts` and `splitHours` of TimeBuckets, whose `coarsest` has to be given. The events of the split hours are read one by one:
 * the LATERAL subquery with OFFSET keeps the planner from reading more events than those.
 */
export function bucketLines(detail: LineDetail, coarsest: RollupPeriod): string {
  const { columns } = SOURCES[detail];
  const eventColumns = columns.map((column) => EVENT_COLUMNS[column] ?? `l.${column}`).join(', ');
  return `${usageLines(detail, coarsest)},
  split_hours AS MATERIALIZED (
    SELECT DISTINCT r.hour FROM ${HOURLY_USAGE} r, bounds b
    WHERE ${OF_ACCOUNT} AND r.hour > b."from" - interval '1 hour' AND r.hour < b."to"
      AND r.hour = ANY ($5::timestamptz[])
  ),
  timed_lines AS (
    SELECT * FROM usage_lines WHERE at NOT IN (SELECT hour FROM split_hours)
    UNION ALL
    SELECT l.* FROM bounds b, split_hours h, LATERAL (
      SELECT e.occurred_at, ${eventColumns}
      FROM metering.usage_events e
      CROSS JOIN jsonb_to_recordset(e.lines)
        AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
      WHERE ${OF_ACCOUNT} AND e.occurred_at >= greatest(h.hour, b."from")
        AND e.occurred_at < least(h.hour + interval '1 hour', b."to")
      OFFSET 0
    ) l
  ),
  bucket_lines AS (
    SELECT coalesce(($4::timestamptz[])[width_bucket(at, $4::timestamptz[])], at) AS bucket, ${columns.join(', ')}
    FROM timed_lines
  )`;
}
