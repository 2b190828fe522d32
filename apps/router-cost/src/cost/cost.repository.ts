import { type Executor } from '@inference/database';
import { bucketLines, type LineDetail, type TimeBuckets, usageLines } from '@inference/metering';
import { type GroupKey } from './cost.dto';

/** Sort position of the last group of a page. */
export interface CostPosition {
  costUsdPicos: bigint;
  keys: string[];
}

/** The cost of one group; `keys` has a value for each name of the report, in its order. */
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
  /** Only the calls of this key; null: of all keys. */
  apiKeyId?: string | null;
  /** What names a group. */
  names: readonly GroupKey[];
  /** Needed for the name `timestamp`. */
  buckets: TimeBuckets | null;
  /** Position after which the page starts, null for the first one. */
  after: CostPosition | null;
  /** Most groups. */
  limit: number;
}

const COLUMNS: Record<GroupKey, string> = {
  timestamp: `to_char(bucket AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  user: 'account_id',
  model: 'model',
  entrypoint: 'entrypoint',
  api_key: 'api_key_id',
};

/**
 * The values are those of `usageLines` or `bucketLines`, then the cost and the keys of the position after which the page starts, or
 * null, the most groups, and the API key if the report is limited to one.
 */
function reportSql(report: CostReport): string {
  const { names, buckets, apiKeyId = null } = report;
  const detail = detailOf(report);
  const [cost, keys, limit, apiKey] = buckets ? ['$6', '$7', '$8', '$9'] : ['$4', '$5', '$6', '$7'];
  const columns = names.map((_, index) => `k${index + 1}`);
  const order = ['cost_usd_picos DESC', ...columns].join(', ');
  const afterKeys = columns.map((_, index) => `(${keys}::text[])[${index + 1}]`);
  // Without names there is one group, and none after it. The statement has to use the parameter, which would lack a type.
  const isAfter =
    names.length === 0 ? `${keys}::text[] IS NULL` : `(${columns.join(', ')}) > (${afterKeys.join(', ')})`;
  // The keys become an array only on the page: for all groups that takes longer than to sort them.
  return `
    WITH ${buckets ? bucketLines(detail, buckets.coarsest) : usageLines(detail, 'month')},
    groups AS (
      SELECT ${names.map((name, index) => `${COLUMNS[name]} COLLATE "C" AS k${index + 1}, `).join('')}
        coalesce(sum(cost_usd_picos), 0) AS cost_usd_picos, coalesce(sum(tokens), 0) AS tokens
      FROM ${buckets ? 'bucket_lines' : 'usage_lines'}
      ${apiKeyId === null ? '' : `WHERE api_key_id = ${apiKey}`} GROUP BY ${columns.join(', ') || '()'}
    ),
    page AS (
      SELECT * FROM groups
      WHERE ${cost}::numeric IS NULL OR cost_usd_picos < ${cost} OR (cost_usd_picos = ${cost} AND ${isAfter})
      ORDER BY ${order} LIMIT ${limit}
    )
    SELECT ARRAY[${columns.join(', ')}]::text[] AS keys, cost_usd_picos AS "costUsdPicos", tokens,
      (extract(epoch FROM statement_timestamp()) * 1000000)::bigint AS "asOfMicros"
    FROM page ORDER BY ${order}`;
}

/** The rollups by account begin with the account; those without keys are for the reports of all accounts. */
function detailOf({ accountId, names }: CostReport): LineDetail {
  if (accountId !== null || names.includes('api_key')) return 'usage';
  return names.includes('user') ? 'account_costs' : 'site_costs';
}

/** The groups of a report, highest cost first. */
export async function readCostGroups(executor: Executor, report: CostReport): Promise<ReadCostGroup[]> {
  const { from, to, accountId, apiKeyId = null, buckets, after, limit } = report;
  const values = [
    ...[from, to, accountId],
    ...(buckets ? [buckets.starts, buckets.splitHours] : []),
    ...[after?.costUsdPicos ?? null, after?.keys ?? null, limit],
    ...(apiKeyId === null ? [] : [apiKeyId]),
  ];
  return (await executor.query<ReadCostGroup>(reportSql(report), values)).rows;
}
