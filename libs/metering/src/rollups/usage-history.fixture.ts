import { type TestPool, waitFor } from '@inference/testing';

/** A settled request of the past. */
export interface PastEvent {
  /** ISO 8601. */
  at: string;
  account: string;
  /** Null: without a key. */
  key: string | null;
  model: string;
  entrypoint: string;
  /** All amounts of the event follow from it. */
  amount: bigint;
}

/** Creates the partitions for the months from `first` on, both as `YYYY-MM-01`. */
export async function createPartitions(pool: TestPool, first: string, end: string): Promise<void> {
  await pool.query(`
    DO $$ DECLARE month timestamptz := '${first}T00:00:00Z'; following timestamptz; BEGIN
      WHILE month < '${end}T00:00:00Z' LOOP
        following := date_trunc('month', month + interval '768 hours', 'UTC');
        EXECUTE format('CREATE TABLE metering.%I PARTITION OF metering.usage_events FOR VALUES FROM (%L) TO (%L)',
          'usage_events_of_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM'), month, following);
        month := following;
      END LOOP;
    END $$`);
}

/** Inserts events, each of two units, with the rows of the hourly rollup that their settlement would have written. */
export async function insertPastEvents(pool: TestPool, events: PastEvent[]): Promise<void> {
  await pool.query(
    `WITH given AS (
       SELECT gen_random_uuid() AS id, * FROM jsonb_to_recordset($1)
         AS g (at timestamptz, account text, key text, model text, entrypoint text, amount numeric)
     ), stored AS (
       INSERT INTO metering.usage_events (request_id, occurred_at, started_at, account_id, api_key_id, model, entrypoint, endpoint,
         upstream, outcome, input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos, cost_usd_picos, lines,
         settlement_id)
       SELECT id, at, at, account, key, model, entrypoint, 'chat/completions', 'u', 'completed', 0, 0, false, 0, 1,
         amount * 7, amount * 9, jsonb_build_array(
           jsonb_build_object('unit', 'per_request', 'quantity', 1, 'tokens', 0, 'cost_picos', amount * 5, 'cost_usd_picos', amount * 8),
           jsonb_build_object('unit', 'per_million_tokens', 'quantity', amount, 'tokens', amount, 'cost_picos', amount * 2,
             'cost_usd_picos', amount)), 'test'
       FROM given RETURNING *
     )
     INSERT INTO metering.hourly_rollup AS r
       (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos)
     SELECT e.account_id, date_trunc('hour', e.occurred_at, 'UTC'), e.model, e.entrypoint, l.unit, coalesce(e.api_key_id, ''),
       sum(l.quantity), sum(l.tokens), sum(l.cost_picos), sum(l.cost_usd_picos)
     FROM stored e CROSS JOIN jsonb_to_recordset(e.lines)
       AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
     GROUP BY 1, 2, 3, 4, 5, 6
     ON CONFLICT (account_id, hour, model, entrypoint, unit, api_key_id) DO UPDATE SET
       quantity = r.quantity + excluded.quantity, tokens = r.tokens + excluded.tokens,
       cost_picos = r.cost_picos + excluded.cost_picos, cost_usd_picos = r.cost_usd_picos + excluded.cost_usd_picos`,
    [JSON.stringify(events, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value))],
  );
}

/** Runs the given number of steps of the job, or all; returns how far the hours are rolled up. */
export async function rollUp(pool: TestPool, steps = Infinity, hours = 24): Promise<Date | null> {
  for (let step = 0; step < steps; step++) {
    await untilOthersEnd(pool);
    const { rows } = await pool.query<{ isLeft: boolean }>('SELECT metering.roll_up_hours($1) AS "isLeft"', [
      hours,
    ]);
    if (!rows[0]!.isLeft) break;
  }
  return rolledUntil(pool);
}

/**
 * The job waits five seconds for older transactions, also for those of other databases of the server, where other tests may hold one
 * open for longer.
 */
export async function untilOthersEnd(pool: TestPool): Promise<void> {
  const LONG_TRANSACTIONS = `
    SELECT FROM pg_stat_activity
    WHERE backend_xid IS NOT NULL AND datname <> current_database() AND xact_start < clock_timestamp() - interval '1 second'`;
  await waitFor(async () => (await pool.query(LONG_TRANSACTIONS)).rowCount === 0);
}

export async function rolledUntil(pool: TestPool): Promise<Date | null> {
  const { rows } = await pool.query<{ until: Date | null }>(
    'SELECT rolled_until AS until FROM metering.rollup_progress',
  );
  return rows[0]!.until;
}
