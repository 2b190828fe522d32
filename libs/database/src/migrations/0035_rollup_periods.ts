import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const SUMS = ['quantity', 'tokens', 'cost_picos', 'cost_usd_picos'];
const COST_SUMS = ['tokens', 'cost_usd_picos'];
const USAGE_KEY = ['model', 'entrypoint', 'unit', 'api_key_id'];

const BOTH = 'console, router_cost';
const ROUTER_COST = 'router_cost';

const accountKey = ['account_id', 'model', 'entrypoint'];
const siteKey = ['model', 'entrypoint'];

const columns = (names: string[], type: string) => names.map((name) => `${name} ${type} NOT NULL`).join(', ');

/** A table of sums by the key, whose columns are in the order of the index. */
const table = (name: string, time: string, key: string[], sums: string[], readers: string) => `
CREATE TABLE metering.${name} (
  ${time} timestamptz NOT NULL, ${columns(
    key.filter((column) => column !== time),
    'text',
  )}, ${columns(sums, 'numeric(38, 0)')}, PRIMARY KEY (${key.join(', ')})
);
GRANT SELECT ON metering.${name} TO ${readers};`;

/** Frozen: the body of metering.settle between this migration and the last one, for gateways that settle meanwhile. */
export const settle = (now: string) => `
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
  at := ${now};
  this_hour := date_trunc('hour', at, 'UTC');

  INSERT INTO metering.usage_events (request_id, occurred_at, started_at, account_id, api_key_id, model, entrypoint,
    endpoint, upstream, outcome, input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos,
    cost_usd_picos, lines, settlement_id)
  SELECT request_id, at, started_at, account_id, api_key_id, model, entrypoint, endpoint, upstream, outcome,
    input_tokens, output_tokens, estimated, price_list_id, usd_per_unit, cost_picos, cost_usd_picos, lines, p_id
  FROM unnest(events);

  INSERT INTO metering.hourly_rollup AS r
    (account_id, hour, model, entrypoint, unit, api_key_id, quantity, tokens, cost_picos, cost_usd_picos)
  SELECT e.account_id, this_hour, e.model, e.entrypoint, l.unit, coalesce(e.api_key_id, ''), sum(l.quantity), sum(l.tokens),
    sum(l.cost_picos), sum(l.cost_usd_picos)
  FROM unnest(events) e
  CROSS JOIN jsonb_to_recordset(e.lines)
    AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
  GROUP BY e.account_id, e.model, e.entrypoint, l.unit, coalesce(e.api_key_id, '')
  ON CONFLICT (account_id, hour, model, entrypoint, unit, api_key_id) DO UPDATE SET
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

/** An hour that is rolled up gets no usage any more, even if the clock was set back. */
export const NOT_BEFORE_ROLLUP =
  'greatest(clock_timestamp(), (SELECT rolled_until FROM metering.rollup_progress))';

const UP = `
-- Sums of whole days and months of UTC, and of hours of the whole site. A month holds its days that have ended.
${table('daily_rollup', 'day', ['account_id', 'day', ...USAGE_KEY], SUMS, BOTH)}
${table('monthly_rollup', 'month', ['account_id', 'month', ...USAGE_KEY], SUMS, BOTH)}
${table('account_daily_costs', 'day', ['day', ...accountKey], COST_SUMS, ROUTER_COST)}
${table('account_monthly_costs', 'month', ['month', ...accountKey], COST_SUMS, ROUTER_COST)}
${table('site_hourly_costs', 'hour', ['hour', ...siteKey], COST_SUMS, ROUTER_COST)}
${table('site_daily_costs', 'day', ['day', ...siteKey], COST_SUMS, ROUTER_COST)}
${table('site_monthly_costs', 'month', ['month', ...siteKey], COST_SUMS, ROUTER_COST)}
CREATE INDEX daily_rollup_day ON metering.daily_rollup (day);
CREATE INDEX monthly_rollup_month ON metering.monthly_rollup (month);

-- One row. The tables above hold all hours before rolled_until, an hour of UTC; null: none.
CREATE TABLE metering.rollup_progress (
  singleton boolean NOT NULL PRIMARY KEY DEFAULT true CONSTRAINT rollup_progress_singleton_check CHECK (singleton),
  rolled_until timestamptz
);
INSERT INTO metering.rollup_progress DEFAULT VALUES;
GRANT SELECT ON metering.rollup_progress TO console, router_cost, gateway;
${settle(NOT_BEFORE_ROLLUP)};
`;

const DOWN = `
-- Loses nothing: the hours are still there.
${settle('clock_timestamp()')};
DROP FUNCTION IF EXISTS metering.roll_up_hours, metering.forget_rollups;
DROP TABLE metering.rollup_progress, metering.daily_rollup, metering.monthly_rollup, metering.account_daily_costs,
  metering.account_monthly_costs, metering.site_hourly_costs, metering.site_daily_costs, metering.site_monthly_costs;
`;

/** Days and months of the rollup. The gateways' job fills them, also with what is there. */
export class RollupPeriods0000000000035 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
