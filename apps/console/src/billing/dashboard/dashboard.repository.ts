import { type Executor, type Transaction } from '@inference/database';
import { type UnservedKind } from '@inference/metering';
import { sumMargin } from './margin.repository';

/** Days of UTC before the present one that are summed. Chosen: twice the longest period of the dashboard, and some more. */
const KEPT_DAYS = 200;
const MOST_ROWS = 5;

/**
 * The first day of which the log has all refused and failed calls. Its first partition is empty when the log begins, since it is made for
 * the day before. After 30 days partitions are dropped, and the first one is of a whole day.
 */
export const LOGGED = `
  SELECT CASE WHEN day > date_trunc('day', now(), 'UTC') - interval '30 days' THEN day + interval '1 day' ELSE day END AS since
  FROM (
    SELECT to_date(right(min(c.relname::text), 10), 'YYYY_MM_DD')::timestamp AT TIME ZONE 'UTC' AS day
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'metering.unserved_calls'::regclass
  ) f`;

/** The next closed hours that are not summed, at most those of one day. */
const NEXT_HOURS = `
  SELECT "from", "to" FROM (
    SELECT "from", CASE WHEN rolled_until IS NOT NULL
      THEN least(date_trunc('day', "from", 'UTC') + interval '24 hours', rolled_until) END AS "to"
    FROM metering.rollup_progress, (
      SELECT greatest(
        summed_until,
        (SELECT date_trunc('day', min(hour), 'UTC') FROM metering.hourly_rollup),
        date_trunc('day', $1::timestamptz, 'UTC') - interval '${KEPT_DAYS} days'
      ) AS "from" FROM billing.figures_progress
    ) s
  ) n WHERE "from" < "to"`;

/** A day that a former version has summed keeps its counts, since the log may not have them any more. */
const ADD_DAY = `
  INSERT INTO billing.day_figures (day, failed_calls, refused_calls, timed_calls, duration_ms)
  SELECT $1::timestamptz, u.failed, u.refused, e.calls, e.duration
  FROM (
    SELECT CASE WHEN is_kept THEN count(*) FILTER (WHERE kind = 'failed') END AS failed,
      CASE WHEN is_kept THEN count(*) FILTER (WHERE kind = 'refused') END AS refused
    FROM (SELECT coalesce($1::timestamptz >= since, false) AS is_kept FROM (${LOGGED}) l) k
    LEFT JOIN metering.unserved_calls ON occurred_at >= $1::timestamptz AND occurred_at < $1::timestamptz + interval '1 day'
    GROUP BY is_kept
  ) u, (
    SELECT count(duration_ms) AS calls, coalesce(sum(duration_ms), 0) AS duration FROM metering.usage_events
    WHERE occurred_at >= $1::timestamptz AND occurred_at < $1::timestamptz + interval '1 day'
  ) e
  ON CONFLICT DO NOTHING`;
/** Hours that were settled before the rollup counted calls have no number of calls. */
const CALLS = 'CASE WHEN bool_and(calls IS NOT NULL) THEN sum(calls)::bigint END';
const SUM_HOURS = `
  INSERT INTO billing.hour_models (hour, model, calls, tokens, cost_picos)
  SELECT hour, model, ${CALLS}, sum(tokens), sum(cost_picos) FROM metering.hourly_rollup
  WHERE hour >= $1 AND hour < $2 GROUP BY hour, model`;
const ADD_ACCOUNTS = `
  INSERT INTO billing.day_accounts AS a (day, account_id, first_hour, cost_picos)
  SELECT date_trunc('day', $1::timestamptz, 'UTC'), account_id, min(hour), sum(cost_picos) FROM metering.hourly_rollup
  WHERE hour >= $1 AND hour < $2 GROUP BY account_id
  ON CONFLICT (day, account_id) DO UPDATE SET cost_picos = a.cost_picos + excluded.cost_picos`;
const SUM_MODELS = `
  INSERT INTO billing.day_models (day, model, calls, tokens, cost_picos)
  SELECT $1::timestamptz, model, ${CALLS}, sum(tokens), sum(cost_picos) FROM billing.hour_models
  WHERE hour >= $1 AND hour < $1::timestamptz + interval '24 hours' GROUP BY model`;
const DAY_MILLIS = 86_400_000;

/**
 * Sums the next closed hours, at most those of one day, and the day if they are its last ones. Each hour is summed once: of several consoles
 * one does it, and how far the sums reach is stored with them.
 * @param now decides which days are too old to be summed
 * @returns whether hours were summed, so that more may wait
 */
export async function sumNextHours(transaction: Transaction, now: Date): Promise<boolean> {
  const { rowCount } = await transaction.query('SELECT FROM billing.figures_progress FOR UPDATE SKIP LOCKED');
  if (rowCount === 0) return false;
  const hours = (await transaction.query<Period>(NEXT_HOURS, [now])).rows[0];
  if (!hours) return false;
  const { from, to } = hours;
  await transaction.query(SUM_HOURS, [from, to]);
  await transaction.query(ADD_ACCOUNTS, [from, to]);
  if (to.getTime() % DAY_MILLIS === 0) {
    const day = new Date(to.getTime() - DAY_MILLIS);
    await transaction.query(ADD_DAY, [day]);
    await transaction.query(SUM_MODELS, [day]);
    await sumMargin(transaction, day);
  }
  await transaction.query('UPDATE billing.figures_progress SET summed_until = $1', [to]);
  return true;
}

/** Half-open; `from` is the start of a day of UTC and `to` that of an hour. */
export interface Period {
  from: Date;
  to: Date;
}

/**
 * The hours of a period from `open` on are read from the rollup, those before it are summed: as days before `day`, and as hours from `day` on.
 * @param openIfSummed the bound if more hours are summed than the period has
 */
const sumsUntil = (openIfSummed: string) => `
  bounds AS MATERIALIZED (
    SELECT open, date_trunc('day', open, 'UTC') AS day FROM (
      SELECT CASE WHEN summed_until > $2 THEN ${openIfSummed} ELSE greatest($1::timestamptz, summed_until) END AS open
      FROM billing.figures_progress
    ) o
  )`;
const MODELS_OF_PERIOD = `
  models AS (
    SELECT model, ${CALLS} AS calls, sum(tokens) AS tokens, sum(cost_picos) AS cost_picos FROM (
      SELECT model, calls, tokens, cost_picos FROM billing.day_models WHERE day >= $1 AND day < (SELECT day FROM bounds)
      UNION ALL
      SELECT model, calls, tokens, cost_picos FROM billing.hour_models
      WHERE hour >= (SELECT day FROM bounds) AND hour < (SELECT open FROM bounds)
      UNION ALL
      SELECT model, calls, tokens, cost_picos FROM open_usage WHERE model IS NOT NULL
    ) lines GROUP BY model
  )`;
/** The open hours are few, but have many rows, which are read once: a row for each model and one for each account. */
const OPEN_USAGE = `
  open_usage AS MATERIALIZED (
    SELECT account_id, model, ${CALLS} AS calls, sum(tokens) AS tokens, sum(cost_picos) AS cost_picos
    FROM metering.hourly_usage WHERE hour >= (SELECT open FROM bounds) AND hour < $2
    GROUP BY GROUPING SETS ((account_id), (model))
  )`;
/** Bounds that the planner knows, so that it does not expect a few rows and fetch each by the index. */
const SUMMED_ACCOUNTS = 'day >= $1 AND day < $2 AND first_hour < (SELECT open FROM bounds)';
const MODEL_ROWS =
  'SELECT model, NULL AS "accountId", calls, tokens, cost_picos AS "costPicos", NULL::bigint AS active FROM models';

/**
 * The statement of the models of a period and of the accounts with the highest cost. The sums of the accounts reach as far as those of the
 * hours: for a period that ends before that, the hours of its last day are read.
 */
export const USAGE_OF_PERIOD = `
  WITH ${sumsUntil("date_trunc('day', $2::timestamptz, 'UTC')")}, ${OPEN_USAGE}, ${MODELS_OF_PERIOD}, accounts AS (
    SELECT account_id, sum(cost_picos) AS cost_picos FROM (
      SELECT account_id, cost_picos FROM billing.day_accounts WHERE ${SUMMED_ACCOUNTS}
      UNION ALL
      SELECT account_id, cost_picos FROM open_usage WHERE account_id IS NOT NULL
    ) lines GROUP BY account_id
  ), top_accounts AS (
    SELECT account_id, cost_picos, count(*) OVER () AS active
    FROM accounts ORDER BY cost_picos DESC, account_id LIMIT ${MOST_ROWS}
  )
  ${MODEL_ROWS}
  UNION ALL
  SELECT NULL, account_id, NULL, NULL, cost_picos, active FROM top_accounts
  ORDER BY "costPicos" DESC, model, "accountId"`;
/** The statement of the models of a period and of the number of its accounts, which needs no hours that are summed, wherever it ends. */
export const USAGE_BEFORE = `
  WITH ${sumsUntil('$2')}, ${OPEN_USAGE}, ${MODELS_OF_PERIOD}, accounts AS (
    SELECT account_id FROM billing.day_accounts WHERE ${SUMMED_ACCOUNTS}
    UNION
    SELECT account_id FROM open_usage WHERE account_id IS NOT NULL
  )
  ${MODEL_ROWS}
  UNION ALL
  SELECT NULL, NULL, NULL, NULL, NULL, count(*) FROM accounts`;

/** Days whose counts are summed and lie in the period, and from `open` on the log. */
const WITH_OPEN = `
  bounds AS (
    SELECT greatest($1::timestamptz, least(
      coalesce((SELECT max(day) + interval '1 day' FROM billing.day_figures), $1), date_trunc('day', $2::timestamptz, 'UTC'))) AS open
  )`;
/** Refused or failed calls of a period; null if the log does not have each of its days, or did not when the day was summed. */
const unserved = (kind: UnservedKind) => `
  (SELECT CASE WHEN count(*) = count(${kind}_calls) THEN coalesce(sum(${kind}_calls), 0) END
    FROM billing.day_figures, bounds WHERE day >= $1 AND day < open)
  + (SELECT CASE
      WHEN open >= $2 THEN 0
      WHEN open >= since
        THEN (SELECT count(*) FROM metering.unserved_calls WHERE kind = '${kind}' AND occurred_at >= open AND occurred_at < $2)
    END FROM bounds, logged)`;
const OTHERS = `
  WITH ${WITH_OPEN}, logged AS (${LOGGED})
  SELECT ${unserved('failed')} AS failed, ${unserved('refused')} AS refused,
    (SELECT count(*) FROM accounts.accounts WHERE created_at >= $1 AND created_at < $2) AS "newAccounts",
    (SELECT count(*) FROM billing.payments WHERE created_at >= $1 AND created_at < $2 AND status = 'failed') AS "failedPayments"`;
const LATENCY_OF_DAYS = `
  SELECT sum(timed_calls) AS calls, sum(duration_ms) AS duration FROM billing.day_figures
  WHERE day >= $1 AND day + interval '1 day' <= $2`;
const LATENCY_OF_HOUR = `
  SELECT count(duration_ms) AS calls, sum(duration_ms) AS duration FROM metering.usage_events
  WHERE occurred_at >= $1 AND occurred_at < $2`;

export interface ModelFigures {
  model: string;
  /** Null: of some hours they are not known. */
  calls: bigint | null;
  tokens: bigint;
  costPicos: bigint;
}

export interface OtherFigures {
  /** Null: not known for each day of the period. */
  failed: bigint | null;
  refused: bigint | null;
  newAccounts: bigint;
  failedPayments: bigint;
}

export interface AccountFigures {
  accountId: string;
  costPicos: bigint;
}

/** Of a model, of an account, or neither. */
type UsageRow = { active: bigint | null } & (
  | (ModelFigures & { accountId: null })
  | (AccountFigures & { model: null })
  | { model: null; accountId: null }
);

export interface UsageFigures {
  /** Highest cost first, if the accounts are asked for. */
  models: ModelFigures[];
  /** Those with the highest cost, highest first; empty unless asked for. */
  accounts: AccountFigures[];
  /** All accounts that used something. */
  active: bigint;
}

/** The usage of a period. @param withAccounts costs more for a period that has ended */
export async function readUsage(
  executor: Executor,
  { from, to }: Period,
  withAccounts: boolean,
): Promise<UsageFigures> {
  const { rows } = await executor.query<UsageRow>(withAccounts ? USAGE_OF_PERIOD : USAGE_BEFORE, [from, to]);
  return {
    models: rows.filter((row) => row.model !== null),
    accounts: rows.filter((row) => row.model === null && row.accountId !== null),
    active: rows.find((row) => row.active !== null)?.active ?? 0n,
  };
}

export async function readOthers(executor: Executor, { from, to }: Period): Promise<OtherFigures> {
  return (await executor.query<OtherFigures>(OTHERS, [from, to])).rows[0]!;
}

/** @param unit `days`: of the whole days of the period that are summed; `events`: of its single calls, for a period of an hour */
export async function readLatency(
  executor: Executor,
  { from, to }: Period,
  unit: 'days' | 'events',
): Promise<{ calls: bigint; durationMs: bigint }> {
  const { rows } = await executor.query<{ calls: bigint | null; duration: bigint | null }>(
    unit === 'days' ? LATENCY_OF_DAYS : LATENCY_OF_HOUR,
    [from, to],
  );
  return { calls: rows[0]?.calls ?? 0n, durationMs: rows[0]?.duration ?? 0n };
}
