import { type Executor } from '@inference/database';
import { type UnservedKind } from '@inference/metering';

export interface CallsQuestion {
  accountId: string;
  /** Included; ISO 8601 in UTC. */
  from: string;
  /** Excluded; null: no end. */
  to: string | null;
  /** Null: all. */
  model: string | null;
  /** Null: all; empty: calls without an API key. */
  apiKeyId: string | null;
  /** Null: all. */
  entrypoint: string | null;
}

const filtered = (apiKey: string) =>
  `($4::text IS NULL OR model = $4) AND ($5::text IS NULL OR ${apiKey} = $5) AND ($6::text IS NULL OR entrypoint = $6)`;

/**
 * Whole hours are counted by the rollup. Parts of hours, and hours that were settled before the rollup counted calls, are counted by their
 * events; if some of these are archived, nobody knows.
 */
const CHARGED = `
  SELECT CASE WHEN coalesce(bool_or(NOT is_counted AND is_archived), false) THEN NULL ELSE coalesce(sum(
    CASE WHEN is_counted THEN calls ELSE (
      SELECT count(*) FROM metering.usage_events
      WHERE account_id = $1 AND occurred_at >= greatest(hour, $2::timestamptz)
        AND occurred_at < least(hour + interval '1 hour', $3::timestamptz) AND ${filtered("coalesce(api_key_id, '')")}
    ) END), 0) END::bigint AS charged
  FROM (
    SELECT hour, sum(calls) AS calls,
      bool_and(calls IS NOT NULL) AND hour >= $2::timestamptz
        AND hour + interval '1 hour' <= coalesce($3::timestamptz, 'infinity') AS is_counted,
      EXISTS (
        SELECT FROM metering.archived_days d WHERE d.day = date_trunc('day', hour, 'UTC') AND d.dropped_at IS NOT NULL
      ) AS is_archived
    FROM metering.hourly_usage
    WHERE account_id = $1 AND hour > $2::timestamptz - interval '1 hour' AND hour < coalesce($3::timestamptz, 'infinity')
      AND ${filtered('api_key_id')}
    GROUP BY hour
  ) h`;

const UNSERVED = `
  SELECT kind, count(*) AS calls FROM metering.unserved_calls
  WHERE account_id = $1 AND occurred_at >= $2::timestamptz AND occurred_at < coalesce($3::timestamptz, 'infinity')
    AND ${filtered("coalesce(api_key_id, '')")}
  GROUP BY kind`;

/** Counts the account's calls of a period. `charged` is null if it cannot be known any more. */
export async function countCalls(
  executor: Executor,
  { accountId, from, to, model, apiKeyId, entrypoint }: CallsQuestion,
): Promise<{ charged: bigint | null } & Record<UnservedKind, bigint>> {
  const values = [accountId, from, to, model, apiKeyId, entrypoint];
  const served = await executor.query<{ charged: bigint | null }>(CHARGED, values);
  const unserved = await executor.query<{ kind: UnservedKind; calls: bigint }>(UNSERVED, values);
  const callsOf = (kind: UnservedKind) => unserved.rows.find((row) => row.kind === kind)?.calls ?? 0n;
  return { charged: served.rows[0]!.charged, refused: callsOf('refused'), failed: callsOf('failed') };
}
