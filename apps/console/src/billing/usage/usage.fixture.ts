import { type UnitRate } from '@inference/metering';
import { type TestAccount, type TestDatabase } from '@inference/testing';
import { settleRequest } from '../../testing/console.fixture';

/** For events of any time. */
export const PARTITION =
  'CREATE TABLE metering.usage_events_earlier PARTITION OF metering.usage_events DEFAULT';

export const RATES: Record<string, UnitRate[]> = {
  chat: [
    { unit: 'per_million_input_tokens', ratePicos: 150_001n },
    { unit: 'per_million_output_tokens', ratePicos: 600_007n },
  ],
  embed: [{ unit: 'per_million_tokens', ratePicos: 7n }],
  'a "model"': [{ unit: 'per_request', ratePicos: 1_000_003n }],
};

export interface Used {
  model: string;
  inputTokens: number;
  outputTokens: number;
  /** In microseconds from the start of the window. */
  at: number;
  /** None by default. */
  apiKeyId?: string | null;
  /** `gateway` by default. */
  entrypoint?: string;
}

/** The time of a test's events. */
export interface Window {
  timeZone: string;
  /** In milliseconds since 1970. */
  start: number;
}

/** ISO 8601 of a time in microseconds from the start of the window. */
export const instant = ({ start }: Window, micros: number) => {
  const text = new Date(start + Math.floor(micros / 1_000)).toISOString().slice(0, -1);
  return `${text}${String(micros % 1_000).padStart(3, '0')}Z`;
};

/** Settles the event now, as the gateway does, and moves it to its time. */
export const settleAt = (
  database: TestDatabase,
  { accountId }: TestAccount,
  window: Window,
  { model, inputTokens, outputTokens, at, apiKeyId = null, entrypoint = 'gateway' }: Used,
) =>
  database.pool.transaction(async (client) => {
    await settleRequest(client, accountId, {
      model,
      rates: RATES[model]!,
      usage: { inputTokens, outputTokens },
      apiKeyId,
      entrypoint,
    });
    const now = [accountId, instant(window, at)];
    const recent = "account_id = $1 AND %s > now() - interval '2 hours'";
    await client.query(
      `UPDATE metering.usage_events SET occurred_at = $2 WHERE ${recent.replace('%s', 'occurred_at')}`,
      now,
    );
    await client.query(
      `UPDATE wallet.transfers SET hour = date_trunc('hour', $2::timestamptz, 'UTC')
       WHERE kind = 'usage' AND ${recent.replace('%s', 'hour')}`,
      now,
    );
    await client.query(
      `WITH moved AS (DELETE FROM metering.hourly_rollup WHERE ${recent.replace('%s', 'hour')} RETURNING *)
       INSERT INTO metering.hourly_rollup AS r
       SELECT account_id, date_trunc('hour', $2::timestamptz, 'UTC'), model, entrypoint, unit, quantity, tokens,
         cost_picos, cost_usd_picos, api_key_id FROM moved
       ON CONFLICT (account_id, hour, model, entrypoint, unit, api_key_id) DO UPDATE SET quantity = r.quantity + excluded.quantity,
         tokens = r.tokens + excluded.tokens, cost_picos = r.cost_picos + excluded.cost_picos,
         cost_usd_picos = r.cost_usd_picos + excluded.cost_usd_picos`,
      now,
    );
  });
