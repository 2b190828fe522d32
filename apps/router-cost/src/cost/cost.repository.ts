import { type Executor } from '@inference/database';
import { USAGE_LINES } from '@inference/metering';
import { type CostPosition } from './cost.cursor';
import { type Dimension } from './group-by-field.decorator';

/** The cost of one group; `keys` has a value for each dimension of the query, in its order. */
export interface CostGroup {
  keys: string[];
  costUsdPicos: bigint;
  tokens: bigint;
}

/** A group with the time of the database when it was read. */
export interface ReadCostGroup extends CostGroup {
  asOfMicros: bigint;
}

export interface CostReport {
  /** ISO 8601, inclusive. */
  from: string;
  /** ISO 8601, exclusive; null: no end. */
  to: string | null;
  /** Null: all accounts. */
  accountId: string | null;
  dimensions: readonly Dimension[];
  /** Position after which the page starts, null for the first one. */
  after: CostPosition | null;
  /** Most groups, null for all. */
  limit: number | null;
}

const COLUMNS: Record<Dimension, string> = { user: 'account_id', model: 'model', entrypoint: 'entrypoint' };

/** `$4`, `$5`: position after which the page starts, or null. `$6`: number of groups, or null for all. */
function reportSql(dimensions: readonly Dimension[]): string {
  const columns = dimensions.map((dimension) => COLUMNS[dimension]).join(', ');
  return `
    WITH ${USAGE_LINES},
    groups AS (
      SELECT ARRAY[${columns}]::text[] COLLATE "C" AS keys,
        coalesce(sum(cost_usd_picos), 0) AS cost_usd_picos, coalesce(sum(tokens), 0) AS tokens
      FROM usage_lines GROUP BY ${columns || '()'}
    )
    SELECT keys, cost_usd_picos AS "costUsdPicos", tokens, (extract(epoch FROM now()) * 1000000)::bigint AS "asOfMicros"
    FROM groups
    WHERE $4::numeric IS NULL OR cost_usd_picos < $4 OR (cost_usd_picos = $4 AND keys > $5::text[])
    ORDER BY cost_usd_picos DESC, keys LIMIT $6`;
}

/** The groups of a report, highest cost first. */
export async function readCostGroups(executor: Executor, report: CostReport): Promise<ReadCostGroup[]> {
  const { from, to, accountId, dimensions, after, limit } = report;
  const values = [from, to, accountId, after?.costUsdPicos ?? null, after?.keys ?? null, limit];
  return (await executor.query<ReadCostGroup>(reportSql(dimensions), values)).rows;
}
