import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

/** How a body of `metering.settle` adds a batch to the hourly rollup. */
interface RollupStep {
  /** The columns that name a row of the rollup. */
  key: string;
  /** Whether a row counts the requests of one API key. Otherwise it counts those of all keys, under the key ''. */
  byApiKey: boolean;
}

const FORMER_KEY = 'account_id, hour, model, entrypoint, unit';
export const KEY = `${FORMER_KEY}, api_key_id`;

/** The function that stores a batch of events, adds them to the rollup and debits them, in one transaction. */
export const settleFunction = ({ key, byApiKey }: RollupStep) => `
CREATE OR REPLACE FUNCTION metering.settle(p_id text, p_events jsonb) RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
  events metering.settlement_event[];
  refused text[] := '{}';
  at timestamptz;
  this_hour timestamptz;
BEGIN
  INSERT INTO metering.settlements (id) VALUES (p_id) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN QUERY SELECT unnest(refused_request_ids) FROM metering.settlements WHERE id = p_id;
    RETURN;
  END IF;
  SELECT array_agg(e) INTO events FROM jsonb_populate_recordset(NULL::metering.settlement_event, p_events) e;
  PERFORM FROM wallet.wallets WHERE account_id IN (SELECT e.account_id FROM unnest(events) e)
  ORDER BY account_id FOR UPDATE;
  IF EXISTS (
    SELECT FROM (SELECT e.lease_id, sum(e.cost_picos) AS cost FROM unnest(events) e GROUP BY e.lease_id) s
    LEFT JOIN wallet.leases l ON l.id = s.lease_id WHERE s.cost > coalesce(l.amount_picos, 0)
  ) THEN
    SELECT c.p_events, c.p_refused INTO events, refused FROM metering.cover_short_events(events) c;
    UPDATE metering.settlements SET refused_request_ids = refused WHERE id = p_id;
  END IF;
  at := clock_timestamp();
  this_hour := date_trunc('hour', at, 'UTC');

  INSERT INTO metering.usage_events (request_id, occurred_at, started_at, account_id, api_key_id, model, entrypoint,
    endpoint, upstream, outcome, input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos,
    cost_usd_picos, lines, settlement_id)
  SELECT request_id, at, started_at, account_id, api_key_id, model, entrypoint, endpoint, upstream, outcome,
    input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos, cost_usd_picos, lines, p_id
  FROM unnest(events);

  INSERT INTO metering.hourly_rollup AS r
    (account_id, hour, model, entrypoint, unit, ${byApiKey ? 'api_key_id, ' : ''}quantity, tokens, cost_picos, cost_usd_picos)
  SELECT e.account_id, this_hour, e.model, e.entrypoint, l.unit, ${byApiKey ? "coalesce(e.api_key_id, ''), " : ''}sum(l.quantity), sum(l.tokens),
    sum(l.cost_picos), sum(l.cost_usd_picos)
  FROM unnest(events) e
  CROSS JOIN jsonb_to_recordset(e.lines)
    AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
  GROUP BY e.account_id, e.model, e.entrypoint, l.unit${byApiKey ? ", coalesce(e.api_key_id, '')" : ''}
  ON CONFLICT (${key}) DO UPDATE SET
    quantity = r.quantity + excluded.quantity,
    tokens = r.tokens + excluded.tokens,
    cost_picos = r.cost_picos + excluded.cost_picos,
    cost_usd_picos = r.cost_usd_picos + excluded.cost_usd_picos;

  WITH debits AS (
    SELECT e.account_id, e.model, sum(e.cost_picos) AS cost,
      p_id || '.' || row_number() OVER (ORDER BY e.account_id, e.model) AS transfer_id
    FROM unnest(events) e WHERE e.cost_picos > 0 GROUP BY e.account_id, e.model
  ), transfers AS (
    INSERT INTO wallet.transfers (id, kind, account_id, reference, description, model, hour, created_at)
    SELECT transfer_id, 'usage', account_id, 'usage:' || transfer_id, 'Usage of ' || model, model, this_hour, at FROM debits
  )
  INSERT INTO wallet.entries (transfer_id, ledger_account, amount_picos)
  SELECT transfer_id, 'wallet:' || account_id, -cost FROM debits
  UNION ALL
  SELECT transfer_id, 'revenue:usage', cost FROM debits;

  UPDATE wallet.wallets w SET balance_picos = balance_picos - s.cost, leased_picos = leased_picos - s.cost
  FROM (SELECT e.account_id, sum(e.cost_picos) AS cost FROM unnest(events) e GROUP BY e.account_id) s
  WHERE w.account_id = s.account_id AND s.cost > 0;
  UPDATE wallet.leases l SET amount_picos = amount_picos - s.cost
  FROM (SELECT e.lease_id, sum(e.cost_picos) AS cost FROM unnest(events) e GROUP BY e.lease_id) s
  WHERE l.id = s.lease_id AND s.cost > 0;
  UPDATE wallet.key_budgets b SET spent_picos = spent_picos + s.cost, leased_picos = leased_picos - s.from_lease
  FROM (
    SELECT e.api_key_id, sum(e.cost_picos) AS cost, coalesce(sum(e.cost_picos) FILTER (WHERE e.limited), 0) AS from_lease
    FROM unnest(events) e GROUP BY e.api_key_id
  ) s
  WHERE b.api_key_id = s.api_key_id AND s.cost > 0;
  RETURN QUERY SELECT unnest(refused);
END $$`;

const UP = `
-- The rollup is about to count by API key too. The key '' stands for requests without a key; here it still counts all.
ALTER TABLE metering.hourly_rollup ADD COLUMN IF NOT EXISTS api_key_id text NOT NULL DEFAULT '';
DROP INDEX CONCURRENTLY IF EXISTS metering.hourly_rollup_by_key;
CREATE UNIQUE INDEX CONCURRENTLY hourly_rollup_by_key ON metering.hourly_rollup (${KEY});
-- Works with the former primary key and with the next one, so that no settlement fails while one replaces the other.
${settleFunction({ key: KEY, byApiKey: false })};
`;

const DOWN = `
${settleFunction({ key: FORMER_KEY, byApiKey: false })};
DROP INDEX IF EXISTS metering.hourly_rollup_by_key;
ALTER TABLE metering.hourly_rollup DROP COLUMN api_key_id;
`;

export class RollupKeyColumn0000000000024 implements Migration {
  readonly transaction = false;

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
