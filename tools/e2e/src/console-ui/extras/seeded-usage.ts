import { type TestDatabase } from '@inference/testing';

/** One charged request of the past. */
export interface PastCall {
  id: string;
  at: string;
  costPicos: bigint;
  costUsdPicos?: bigint;
}

const EVENT_COLUMNS = `request_id, occurred_at, started_at, account_id, api_key_id, model, entrypoint, endpoint, upstream,
  outcome, input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos, cost_usd_picos, lines, settlement_id`;
const line = (cost: string, costUsd: string) =>
  `jsonb_build_array(jsonb_build_object('unit', 'per_request', 'quantity', 1, 'tokens', 0, 'cost_picos', ${cost}, 'cost_usd_picos', ${costUsd}))`;

/** Events of these calls. Call `bookUsage` afterwards. */
export async function seedCalls(
  { pool }: TestDatabase,
  accountId: string,
  model: string,
  calls: PastCall[],
): Promise<void> {
  for (const { id, at, costPicos, costUsdPicos = costPicos } of calls)
    await pool.query(
      `INSERT INTO metering.usage_events (${EVENT_COLUMNS})
       SELECT $1, $2::timestamptz, $2::timestamptz, $3, NULL, $4, 'gateway', 'chat/completions', 'test', 'completed', 0, 0, false, 0,
         1, $5::numeric, $6::numeric, ${line('$5::numeric', '$6::numeric')}, 'seeded'`,
      [id, at, accountId, model, String(costPicos), String(costUsdPicos)],
    );
}

/** An event of one pico from each of `entrypoints` sources in each of `hours` hours. */
export async function seedHours(
  { pool }: TestDatabase,
  accountId: string,
  { model, from, hours, entrypoints }: { model: string; from: string; hours: number; entrypoints: number },
): Promise<void> {
  await pool.query(
    `INSERT INTO metering.usage_events (${EVENT_COLUMNS})
     SELECT 'bulk-' || h || '-' || k, at, at, $1, NULL, $2, 'job-' || k, 'chat/completions', 'test',
       'completed', 0, 0, false, 0, 1, 1, 1, ${line('1', '1')}, 'seeded'
     FROM generate_series(0, $4::int - 1) h CROSS JOIN generate_series(1, $5::int) k
     CROSS JOIN LATERAL (SELECT $3::timestamptz + h * interval '1 hour' + k * interval '1 second' AS at) t`,
    [accountId, model, from, hours, entrypoints],
  );
}

/** Adds rollup and ledger to the seeded events, as a settlement does. */
export async function bookUsage({ pool }: TestDatabase, accountId: string): Promise<void> {
  await pool.query(
    `INSERT INTO metering.hourly_rollup (account_id, hour, model, entrypoint, unit, quantity, tokens, cost_picos, cost_usd_picos, api_key_id)
     SELECT account_id, date_trunc('hour', occurred_at, 'UTC'), model, entrypoint, 'per_request', count(*), 0, sum(cost_picos),
       sum(cost_usd_picos), coalesce(api_key_id, '')
     FROM metering.usage_events WHERE account_id = $1 GROUP BY 1, 2, 3, 4, coalesce(api_key_id, '')`,
    [accountId],
  );
  await pool.query(
    `WITH hours AS (
       SELECT 'seeded ' || model || ' ' || hour AS id, model, hour, sum(cost_picos) AS cost
       FROM metering.hourly_rollup WHERE account_id = $1 GROUP BY model, hour
     ), transfers AS (
       INSERT INTO wallet.transfers (id, kind, account_id, reference, description, model, hour)
       SELECT id, 'usage', $1, id, 'Seeded', model, hour FROM hours
     )
     INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos)
     SELECT id, 'wallet:' || $1, -cost FROM hours UNION ALL SELECT id, 'revenue:usage', cost FROM hours`,
    [accountId],
  );
  await pool.query("SELECT metering.forget_rollups('-infinity')");
}
