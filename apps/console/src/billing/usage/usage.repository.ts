import { type Executor } from '@inference/database';
import { bucketLines, type PriceUnit, type RollupPeriod, type TimeBuckets } from '@inference/metering';
import { type ApiKeyReference } from '../../identity/api-keys/api-keys.dto';

/** What the usage of a bucket can be divided by. */
export const USAGE_DIMENSIONS = ['model', 'api_key', 'entrypoint'] as const;
export type UsageDimension = (typeof USAGE_DIMENSIONS)[number];

/** What is read: from `from` (included) to `to` (excluded), as ISO 8601 in UTC. */
export interface UsageRange extends TimeBuckets {
  from: string;
  /** Null: everything settled up to the time of reading. */
  to: string | null;
}

export interface UsageReport {
  accountId: string;
  range: UsageRange;
  dimensions: readonly UsageDimension[];
  /** Null: all. */
  model: string | null;
  /** Null: all; empty: usage without an API key. */
  apiKeyId: string | null;
  /** Null: all. */
  entrypoint: string | null;
}

/** Usage of one group, in one unit, in the bucket that starts at `bucket`. */
export interface BucketUsage {
  bucket: Date;
  model?: string;
  apiKey?: ApiKeyReference | null;
  entrypoint?: string;
  unit: PriceUnit;
  quantity: bigint;
  costPicos: bigint;
}

const COLUMNS: Record<UsageDimension, string> = {
  model: 'model',
  api_key: 'api_key_id',
  entrypoint: 'entrypoint',
};
const SHOWN: Record<UsageDimension, string> = {
  model: 'model',
  api_key: `CASE WHEN api_key_id <> '' THEN (
    SELECT json_build_object('id', k.id, 'name', k.name, 'prefix', k.prefix) FROM accounts.api_keys k
    WHERE k.id = api_key_id AND k.account_id = $3) END AS "apiKey"`,
  entrypoint: 'entrypoint',
};

/** `$1` to `$5` are those of `bucketLines`; `$6` to `$8` limit it to a model, an API key and an entrypoint unless null, `$9` is the most rows. */
function reportSql(dimensions: readonly UsageDimension[], coarsest: RollupPeriod): string {
  const columns = dimensions.map((dimension) => `${COLUMNS[dimension]}, `).join('');
  const shown = dimensions.map((dimension) => `${SHOWN[dimension]}, `).join('');
  const order = dimensions.map((dimension) => `${COLUMNS[dimension]} COLLATE "C", `).join('');
  return `
    WITH ${bucketLines('usage', coarsest)},
    groups AS (
      SELECT bucket, ${columns} unit, sum(quantity) AS quantity, sum(cost_picos) AS cost_picos
      FROM bucket_lines
      WHERE ($6::text IS NULL OR model = $6) AND ($7::text IS NULL OR api_key_id = $7) AND ($8::text IS NULL OR entrypoint = $8)
      GROUP BY bucket, ${columns} unit
    )
    SELECT bucket, ${shown} unit, quantity, cost_picos AS "costPicos"
    FROM groups ORDER BY bucket, ${order} unit COLLATE "C" LIMIT $9`;
}

/** The account's usage of the range, sorted by bucket, the dimensions and unit: so many rows at most. */
export async function readUsage(
  executor: Executor,
  report: UsageReport,
  most: number,
): Promise<BucketUsage[]> {
  const { accountId, range, dimensions, model, apiKeyId, entrypoint } = report;
  const { from, to, starts, splitHours } = range;
  const values = [from, to, accountId, starts, splitHours, model, apiKeyId, entrypoint, most];
  return (await executor.query<BucketUsage>(reportSql(dimensions, range.coarsest), values)).rows;
}
