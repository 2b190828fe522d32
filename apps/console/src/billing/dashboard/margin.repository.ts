import { type Executor, type Transaction } from '@inference/database';

export const MARGIN_GROUPS = ['day', 'model', 'upstream', 'account'] as const;
export type MarginGroup = (typeof MARGIN_GROUPS)[number];

export interface MarginFigures {
  calls: bigint;
  /** Calls whose cost is not known. */
  uncostedCalls: bigint;
  revenuePicos: bigint;
  /** What those calls brought in. */
  uncostedRevenuePicos: bigint;
  costPicos: bigint;
}

const SUMS = `coalesce(sum(calls), 0)::bigint AS calls, coalesce(sum(uncosted_calls), 0)::bigint AS "uncostedCalls",
  coalesce(sum(revenue_picos), 0) AS "revenuePicos", coalesce(sum(uncosted_revenue_picos), 0) AS "uncostedRevenuePicos",
  coalesce(sum(cost_picos), 0) AS "costPicos"`;
const KEYS: Record<MarginGroup, string> = {
  day: `to_char(day AT TIME ZONE 'UTC', 'YYYY-MM-DD')`,
  model: 'model',
  upstream: 'upstream',
  account: 'account_id',
};
const OF_PERIOD = 'FROM metering.margins WHERE day >= $1 AND day < $2';

/** The figures of the days from the first (included) to the last (excluded), days in order and otherwise highest revenue first. */
export async function readMargins(
  executor: Executor,
  from: Date,
  to: Date,
  group: MarginGroup,
): Promise<(MarginFigures & { key: string })[]> {
  const order = group === 'day' ? 'key' : 'sum(revenue_picos) DESC, key';
  const { rows } = await executor.query<MarginFigures & { key: string }>(
    `SELECT ${KEYS[group]} AS key, ${SUMS} ${OF_PERIOD} GROUP BY 1 ORDER BY ${order}`,
    [from, to],
  );
  return rows;
}

/** The figures of the days together. */
export async function readMargin(executor: Executor, from: Date, to: Date): Promise<MarginFigures> {
  return (await executor.query<MarginFigures>(`SELECT ${SUMS} ${OF_PERIOD}`, [from, to])).rows[0]!;
}

const COLUMNS = 'calls, uncosted_calls, revenue_picos, uncosted_revenue_picos, cost_picos';
/** A day gets no margin any more when all its hours are closed. */
const SUM_DAY = `
  INSERT INTO billing.day_margins (day, ${COLUMNS})
  SELECT $1::timestamptz, ${SUMS} FROM metering.margins WHERE day = $1`;
const OF_DAYS = `
  WITH open AS MATERIALIZED (
    SELECT least($2::timestamptz, greatest($1::timestamptz, date_trunc('day', summed_until, 'UTC'))) AS day FROM billing.figures_progress
  )
  SELECT ${SUMS} FROM (
    SELECT ${COLUMNS} FROM billing.day_margins WHERE day >= $1 AND day < (SELECT day FROM open)
    UNION ALL
    SELECT ${COLUMNS} FROM metering.margins WHERE day >= (SELECT day FROM open) AND day < $2
  ) lines`;

/** Sums the margin of a day whose hours are closed. */
export async function sumMargin(transaction: Transaction, day: Date): Promise<void> {
  await transaction.query(SUM_DAY, [day]);
}

/** As `readMargin`, from the sums of the days that have them. */
export async function readSummedMargin(executor: Executor, from: Date, to: Date): Promise<MarginFigures> {
  return (await executor.query<MarginFigures>(OF_DAYS, [from, to])).rows[0]!;
}
