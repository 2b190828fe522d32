CREATE SCHEMA metering;
GRANT USAGE ON SCHEMA metering TO console, gateway, router_cost, training;

-- One row per served request. occurred_at is the time of settlement by the clock of the database, so that all processes
-- assign a request to the same hour.
CREATE TABLE metering.usage_events (
  request_id text,
  occurred_at timestamptz,
  started_at timestamptz NOT NULL,
  account_id text NOT NULL,
  api_key_id text,
  model text NOT NULL,
  entrypoint text NOT NULL,
  endpoint text NOT NULL,
  upstream text NOT NULL,
  outcome text NOT NULL,
  input_tokens bigint NOT NULL,
  output_tokens bigint NOT NULL,
  -- The upstream reported no usage; the gateway estimated the tokens.
  estimated boolean NOT NULL,
  price_list_id bigint NOT NULL,
  usd_per_unit numeric(20, 10) NOT NULL,
  cost_picos numeric(38, 0) NOT NULL,
  cost_usd_picos numeric(38, 0) NOT NULL,
  -- The parts of the cost, one for each priced unit: [{unit, quantity, tokens, cost_picos, cost_usd_picos}]
  lines jsonb NOT NULL,
  settlement_id text NOT NULL,
  CONSTRAINT usage_events_pkey PRIMARY KEY (occurred_at, request_id),
  CONSTRAINT usage_events_outcome_check CHECK (outcome IN ('completed', 'disconnected', 'interrupted')),
  CONSTRAINT usage_events_input_tokens_check CHECK (input_tokens >= 0),
  CONSTRAINT usage_events_output_tokens_check CHECK (output_tokens >= 0),
  CONSTRAINT usage_events_cost_picos_check CHECK (cost_picos >= 0),
  CONSTRAINT usage_events_cost_usd_picos_check CHECK (cost_usd_picos >= 0)
) PARTITION BY RANGE (occurred_at);
CREATE INDEX usage_events_account ON metering.usage_events (account_id, occurred_at);
CREATE INDEX usage_events_broken_off ON metering.usage_events (account_id, occurred_at) WHERE outcome <> 'completed';
GRANT SELECT ON metering.usage_events TO console, router_cost;

CREATE TABLE metering.hourly_rollup (
  account_id text,
  hour timestamptz,
  model text,
  entrypoint text,
  unit text,
  -- Tokens or requests, depending on the unit.
  quantity numeric(38, 0) NOT NULL,
  -- Each token of a request is counted in one of its lines only.
  tokens numeric(38, 0) NOT NULL,
  cost_picos numeric(38, 0) NOT NULL,
  cost_usd_picos numeric(38, 0) NOT NULL,
  api_key_id text DEFAULT '',
  CONSTRAINT hourly_rollup_pkey PRIMARY KEY (account_id, hour, model, entrypoint, unit, api_key_id)
);
CREATE INDEX hourly_rollup_hour ON metering.hourly_rollup (hour);
GRANT SELECT ON metering.hourly_rollup TO console, router_cost;

-- One row per settled batch, so that a batch that is sent again after a broken connection is not settled again.
CREATE TABLE metering.settlements (
  id text,
  settled_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  refused_request_ids text[] NOT NULL DEFAULT '{}',
  CONSTRAINT settlements_pkey PRIMARY KEY (id)
);
CREATE INDEX settlements_age ON metering.settlements (settled_at);

-- What metering.settle takes: a usage event, and the lease that pays for it.
CREATE TYPE metering.settlement_event AS (
  request_id text,
  lease_id text,
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
