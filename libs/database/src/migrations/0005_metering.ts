import { type MigrationInterface, type QueryRunner } from 'typeorm';

const UP = `
CREATE SCHEMA metering;
GRANT USAGE ON SCHEMA metering TO console, gateway, router_cost, training;

-- One row per served request. occurred_at is the time of settlement by the clock of the database, so that all processes
-- assign a request to the same hour.
CREATE TABLE metering.usage_events (
  request_id text NOT NULL,
  occurred_at timestamptz NOT NULL,
  started_at timestamptz NOT NULL,
  account_id text NOT NULL,
  api_key_id text,
  model text NOT NULL,
  entrypoint text NOT NULL,
  endpoint text NOT NULL,
  upstream text NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('completed', 'disconnected', 'interrupted')),
  input_tokens bigint NOT NULL CHECK (input_tokens >= 0),
  output_tokens bigint NOT NULL CHECK (output_tokens >= 0),
  -- The upstream reported no usage; the gateway estimated the tokens.
  estimated boolean NOT NULL,
  price_list_id bigint NOT NULL,
  usd_per_unit numeric(20, 10) NOT NULL,
  cost_picos numeric(38, 0) NOT NULL CHECK (cost_picos >= 0),
  cost_usd_picos numeric(38, 0) NOT NULL CHECK (cost_usd_picos >= 0),
  -- The parts of the cost, one for each priced unit: [{unit, quantity, tokens, cost_picos, cost_usd_picos}]
  lines jsonb NOT NULL,
  settlement_id text NOT NULL,
  PRIMARY KEY (occurred_at, request_id)
) PARTITION BY RANGE (occurred_at);
CREATE INDEX usage_events_account ON metering.usage_events (account_id, occurred_at);

CREATE TABLE metering.hourly_rollup (
  account_id text NOT NULL,
  hour timestamptz NOT NULL,
  model text NOT NULL,
  entrypoint text NOT NULL,
  unit text NOT NULL,
  -- Tokens or requests, depending on the unit.
  quantity numeric(38, 0) NOT NULL,
  -- Each token of a request is counted in one of its lines only.
  tokens numeric(38, 0) NOT NULL,
  cost_picos numeric(38, 0) NOT NULL,
  cost_usd_picos numeric(38, 0) NOT NULL,
  PRIMARY KEY (account_id, hour, model, entrypoint, unit)
);
CREATE INDEX hourly_rollup_hour ON metering.hourly_rollup (hour);

-- One row per settled batch, so that a batch that is sent again after a broken connection is not settled again.
CREATE TABLE metering.settlements (
  id text PRIMARY KEY,
  settled_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  refused_request_ids text[] NOT NULL DEFAULT '{}'
);
CREATE INDEX settlements_age ON metering.settlements (settled_at);

CREATE TYPE metering.settlement_event AS (
  request_id text,
  lease_id text,
  -- Whether the lease also sets money aside from the spending limit of the key.
  limited boolean,
  started_at timestamptz,
  account_id text,
  api_key_id text,
  model text,
  entrypoint text,
  endpoint text,
  upstream text,
  outcome text,
  input_tokens bigint,
  output_tokens bigint,
  estimated boolean,
  price_list_id bigint,
  usd_per_unit numeric,
  cost_picos numeric,
  cost_usd_picos numeric,
  lines jsonb
);

-- Creates the monthly partitions from this month to three months ahead.
-- Creating one locks the whole table. If it waited for a long query, all settlements would wait behind it; so it fails
-- after lock_timeout, and a later call succeeds well before the partition is needed.
CREATE FUNCTION metering.ensure_partitions() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog SET lock_timeout = '1s' AS $$
DECLARE
  month timestamp;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('metering.ensure_partitions'));
  FOR i IN 0..3 LOOP
    month := date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => i);
    EXECUTE format('CREATE TABLE IF NOT EXISTS metering.%I PARTITION OF metering.usage_events FOR VALUES FROM (%L) TO (%L)',
      'usage_events_' || to_char(month, 'YYYY_MM'),
      month AT TIME ZONE 'UTC', (month + interval '1 month') AT TIME ZONE 'UTC');
  END LOOP;
END $$;
SELECT metering.ensure_partitions();

-- Covers events that their lease does not cover, because it was reclaimed or the upstream served more than was requested.
-- Their cost is taken from the money of the wallet that is not leased, within the limit of the key. Events that are still
-- not covered are removed from p_events and listed in p_refused.
CREATE FUNCTION metering.cover_short_events(INOUT p_events metering.settlement_event[], OUT p_refused text[])
LANGUAGE plpgsql AS $$
DECLARE
  e metering.settlement_event;
  lease_left jsonb := '{}';
  left_picos numeric;
  kept metering.settlement_event[] := '{}';
BEGIN
  p_refused := '{}';
  SELECT coalesce(jsonb_object_agg(id, amount_picos), '{}') INTO lease_left FROM wallet.leases
  WHERE id IN (SELECT u.lease_id FROM unnest(p_events) u);
  FOREACH e IN ARRAY p_events LOOP
    left_picos := (lease_left ->> e.lease_id)::numeric;
    IF left_picos >= e.cost_picos THEN
      lease_left := lease_left || jsonb_build_object(e.lease_id, left_picos - e.cost_picos);
      kept := kept || e;
      CONTINUE;
    END IF;
    IF e.limited THEN
      UPDATE wallet.key_budgets SET leased_picos = leased_picos + e.cost_picos
      WHERE api_key_id = e.api_key_id
        AND (limit_picos IS NULL OR spent_picos + leased_picos + e.cost_picos <= limit_picos);
      IF NOT FOUND THEN
        p_refused := p_refused || e.request_id;
        CONTINUE;
      END IF;
    END IF;
    UPDATE wallet.wallets SET leased_picos = leased_picos + e.cost_picos
    WHERE account_id = e.account_id AND balance_picos - leased_picos >= e.cost_picos;
    IF FOUND THEN
      e.lease_id := NULL;
      kept := kept || e;
    ELSE
      IF e.limited THEN
        UPDATE wallet.key_budgets SET leased_picos = leased_picos - e.cost_picos WHERE api_key_id = e.api_key_id;
      END IF;
      p_refused := p_refused || e.request_id;
    END IF;
  END LOOP;
  p_events := kept;
END $$;

-- Stores a batch of events, adds them to the rollup and debits them, in one transaction. Returns the ids of the requests
-- that the wallet does not cover.
CREATE FUNCTION metering.settle(p_id text, p_events jsonb) RETURNS SETOF text
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
    (account_id, hour, model, entrypoint, unit, quantity, tokens, cost_picos, cost_usd_picos)
  SELECT e.account_id, this_hour, e.model, e.entrypoint, l.unit, sum(l.quantity), sum(l.tokens),
    sum(l.cost_picos), sum(l.cost_usd_picos)
  FROM unnest(events) e
  CROSS JOIN jsonb_to_recordset(e.lines)
    AS l(unit text, quantity numeric, tokens numeric, cost_picos numeric, cost_usd_picos numeric)
  GROUP BY e.account_id, e.model, e.entrypoint, l.unit
  ON CONFLICT (account_id, hour, model, entrypoint, unit) DO UPDATE SET
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
END $$;

-- A settlement id is needed only as long as a gateway may send its batch again.
CREATE FUNCTION metering.forget_old_settlements() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
  DELETE FROM metering.settlements WHERE settled_at < clock_timestamp() - interval '1 day';
$$;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA metering FROM PUBLIC;
GRANT EXECUTE ON FUNCTION metering.settle, metering.ensure_partitions, metering.forget_old_settlements TO gateway;
GRANT SELECT ON metering.usage_events, metering.hourly_rollup TO console, router_cost;
`;

const DOWN = `
-- Loses all usage events and the hourly rollup.
DROP SCHEMA metering CASCADE;
`;

export class Metering0000000000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
