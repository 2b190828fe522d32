import { type Executor } from '@inference/database';

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
