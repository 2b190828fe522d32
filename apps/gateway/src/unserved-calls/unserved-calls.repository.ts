import { type Executor } from '@inference/database';
import { type UnservedKind } from '@inference/metering';

/** A call as the statement below reads it. */
export interface UnservedCallRow {
  request_id: string;
  client_request_id: string | undefined;
  occurred_at: string;
  started_at: string;
  account_id: string;
  api_key_id: string | null;
  model: string | null;
  entrypoint: string;
  endpoint: string;
  kind: UnservedKind;
  http_status: number;
  error_code: string;
  upstream: string | null;
  duration_ms: number;
  time_to_first_byte_ms: number | null;
}

/**
 * Times in the future or long past by the clock of the database are those of a gateway whose clock is wrong, and may have no partition. A
 * batch whose confirmation was lost may be sent again.
 */
const INSERT = {
  name: 'unserved-calls-insert',
  text: `
    WITH calls AS MATERIALIZED (
      SELECT greatest(least(occurred_at, clock_timestamp()), clock_timestamp() - interval '1 day') AS at, c.*
      FROM jsonb_to_recordset($1) AS c(request_id text, occurred_at timestamptz, started_at timestamptz, account_id text, api_key_id text,
        model text, entrypoint text, endpoint text, kind text, http_status integer, error_code text, upstream text, duration_ms integer,
        time_to_first_byte_ms integer, client_request_id text)
    ), named AS (
      INSERT INTO metering.client_request_ids (client_request_id, account_id, occurred_at, request_id)
      SELECT client_request_id, account_id, at, request_id FROM calls WHERE client_request_id IS NOT NULL
      ON CONFLICT DO NOTHING
    )
    INSERT INTO metering.unserved_calls (request_id, occurred_at, started_at, account_id, api_key_id, model, entrypoint, endpoint, kind,
      http_status, error_code, upstream, duration_ms, time_to_first_byte_ms)
    SELECT request_id, at, started_at, account_id, api_key_id, model, entrypoint, endpoint, kind, http_status, error_code, upstream,
      duration_ms, time_to_first_byte_ms
    FROM calls
    ON CONFLICT DO NOTHING`,
};

export async function insertUnservedCalls(
  executor: Executor,
  calls: readonly UnservedCallRow[],
): Promise<void> {
  await executor.query({ ...INSERT, values: [JSON.stringify(calls)] });
}
