import { type Executor, type Transaction } from '@inference/database';
import { type UnservedKind } from '@inference/metering';

/** Days of UTC before the present one that are summed. Chosen: twice the longest period of the dashboard, and some more. */
const KEPT_DAYS = 200;
const MOST_ROWS = 5;

/**
 * The first day of which the log has all refused and failed calls. Its first partition is empty when the log begins, since it is made for
 * the day before. After 30 days partitions are dropped, and the first one is of a whole day.
 */
const LOGGED = `
  SELECT CASE WHEN day > date_trunc('day', now(), 'UTC') - interval '30 days' THEN day + interval '1 day' ELSE day END AS since
  FROM (
    SELECT to_date(right(min(c.relname::text), 10), 'YYYY_MM_DD')::timestamp AT TIME ZONE 'UTC' AS day
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'metering.unserved_calls'::regclass
  ) f`;

/** The first day that is not summed and all of whose hours are closed. */
const NEXT_DAY = `
  SELECT day FROM (
    SELECT greatest(
      coalesce((SELECT max(day) + interval '1 day' FROM billing.day_figures), '-infinity'),
      (SELECT date_trunc('day', min(hour), 'UTC') FROM metering.hourly_rollup),
      date_trunc('day', now(), 'UTC') - interval '${KEPT_DAYS} days'
    ) AS day
  ) d WHERE day + interval '1 day' <= (SELECT rolled_until FROM metering.rollup_progress)`;

const CLAIM_DAY = `
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
const SUM_MODELS = `
  INSERT INTO billing.day_models (day, model, calls, tokens, cost_picos)
  SELECT $1::timestamptz, model, ${CALLS}, sum(tokens), sum(cost_picos) FROM metering.hourly_rollup
  WHERE hour >= $1::timestamptz AND hour < $1::timestamptz + interval '1 day' GROUP BY model`;
const SUM_ACCOUNTS = `
  INSERT INTO billing.day_accounts (day, account_id, cost_picos)
  SELECT $1::timestamptz, account_id, sum(cost_picos) FROM metering.hourly_rollup
  WHERE hour >= $1::timestamptz AND hour < $1::timestamptz + interval '1 day' GROUP BY account_id`;

/** Returns null if no day waits to be summed. */
export async function nextDay(executor: Executor): Promise<Date | null> {
  return (await executor.query<{ day: Date }>(NEXT_DAY)).rows[0]?.day ?? null;
}

/** Sums a day whose hours are closed, once: of several consoles one does it. */
export async function sumDay(transaction: Transaction, day: Date): Promise<void> {
  if ((await transaction.query(CLAIM_DAY, [day])).rowCount === 0) return;
  await transaction.query(SUM_MODELS, [day]);
  await transaction.query(SUM_ACCOUNTS, [day]);
}

/** Half-open; `from` is the start of a day of UTC and `to` that of an hour. */
export interface Period {
  from: Date;
  to: Date;
}

/** Days that are summed and lie in the period, and the hours from `open` on, which are read from the rollup of the hours. */
const WITH_OPEN = `
  bounds AS (
    SELECT greatest($1::timestamptz, least(
      coalesce((SELECT max(day) + interval '1 day' FROM billing.day_figures), $1), date_trunc('day', $2::timestamptz, 'UTC'))) AS open
  )`;

/** The statement of the models and accounts of a period: summed days, and what is open of it, whose many rows are read once for both. */
export const USAGE_OF_PERIOD = `
  WITH ${WITH_OPEN}, open_usage AS MATERIALIZED (
    SELECT account_id, model, ${CALLS} AS calls, sum(tokens) AS tokens, sum(cost_picos) AS cost_picos
    FROM metering.hourly_usage, bounds WHERE hour >= open AND hour < $2 GROUP BY account_id, model
  ), models AS (
    SELECT model, ${CALLS} AS calls, sum(tokens) AS tokens, sum(cost_picos) AS cost_picos FROM (
      SELECT model, calls, tokens, cost_picos FROM billing.day_models, bounds WHERE day >= $1 AND day < open
      UNION ALL
      SELECT model, calls, tokens, cost_picos FROM open_usage
    ) lines GROUP BY model
  ), accounts AS (
    SELECT account_id, sum(cost_picos) AS cost_picos FROM (
      SELECT account_id, cost_picos FROM billing.day_accounts, bounds WHERE day >= $1 AND day < open
      UNION ALL
      SELECT account_id, cost_picos FROM open_usage
    ) lines GROUP BY account_id
  ), top_accounts AS (
    SELECT account_id, cost_picos, count(*) OVER () AS active
    FROM accounts ORDER BY cost_picos DESC, account_id LIMIT ${MOST_ROWS}
  )
  SELECT model, NULL AS "accountId", calls, tokens, cost_picos AS "costPicos", NULL::bigint AS active FROM models
  UNION ALL
  SELECT NULL, account_id, NULL, NULL, cost_picos, active FROM top_accounts
  ORDER BY "costPicos" DESC, model, "accountId"`;
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
  /** All accounts that used something. */
  active: bigint;
}

type UsageRow = (ModelFigures & { accountId: null }) | (AccountFigures & { model: null });

/** The usage of each model in a period, and the accounts with the highest cost, both highest cost first. */
export async function readUsage(
  executor: Executor,
  { from, to }: Period,
): Promise<{ models: ModelFigures[]; accounts: AccountFigures[] }> {
  const { rows } = await executor.query<UsageRow>(USAGE_OF_PERIOD, [from, to]);
  return {
    models: rows.filter((row) => row.model !== null),
    accounts: rows.filter((row) => row.model === null),
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
