import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- What an upstream takes for its models. The newest list of an upstream replaces its former one as a whole.
CREATE TABLE pricing.cost_price_lists (
  id bigint GENERATED ALWAYS AS IDENTITY,
  -- Stays when the upstream is removed.
  upstream_id text NOT NULL,
  effective_from timestamptz NOT NULL DEFAULT clock_timestamp(),
  published_by text,
  reason text,
  CONSTRAINT cost_price_lists_pkey PRIMARY KEY (id),
  CONSTRAINT cost_price_lists_published_by_fkey FOREIGN KEY (published_by) REFERENCES accounts.accounts (id)
);
CREATE INDEX cost_price_lists_newest ON pricing.cost_price_lists (upstream_id, id);
CREATE TABLE pricing.cost_prices (
  cost_price_list_id bigint,
  -- Place in the list, from 1.
  position integer,
  -- The upstream's own name of the model.
  model text NOT NULL,
  unit text NOT NULL,
  rate_picos numeric(38, 0) NOT NULL,
  min_input_tokens integer,
  service_tier text,
  hours text,
  effective_from timestamptz,
  CONSTRAINT cost_prices_pkey PRIMARY KEY (cost_price_list_id, position),
  CONSTRAINT cost_prices_cost_price_list_id_fkey FOREIGN KEY (cost_price_list_id) REFERENCES pricing.cost_price_lists (id),
  CONSTRAINT cost_prices_rate_picos_check CHECK (rate_picos >= 0)
);
GRANT SELECT, INSERT ON pricing.cost_price_lists, pricing.cost_prices TO console;
GRANT SELECT ON pricing.cost_price_lists, pricing.cost_prices TO gateway;

-- What the call cost at its upstreams, [{upstream, list, served, cost_picos}], failed attempts included. Null: settled before this was counted.
ALTER TABLE metering.usage_events ADD COLUMN IF NOT EXISTS upstream_costs jsonb;

-- Sums by day of what calls brought in and what they cost. Folding adds to them.
CREATE TABLE metering.daily_margins (
  day timestamptz,
  account_id text,
  model text,
  upstream text,
  calls bigint NOT NULL,
  -- Calls whose cost is not known, since their upstream had no cost price.
  uncosted_calls bigint NOT NULL,
  revenue_picos numeric(38, 0) NOT NULL,
  -- The part of the revenue that those calls brought in.
  uncosted_revenue_picos numeric(38, 0) NOT NULL,
  cost_picos numeric(38, 0) NOT NULL,
  CONSTRAINT daily_margins_pkey PRIMARY KEY (day, account_id, model, upstream)
);
CREATE TABLE metering.unfolded_margins (
  account_id text,
  id bigint GENERATED ALWAYS AS IDENTITY (CACHE 32),
  day timestamptz NOT NULL,
  model text NOT NULL,
  upstream text NOT NULL,
  calls bigint NOT NULL,
  uncosted_calls bigint NOT NULL,
  revenue_picos numeric(38, 0) NOT NULL,
  uncosted_revenue_picos numeric(38, 0) NOT NULL,
  cost_picos numeric(38, 0) NOT NULL,
  CONSTRAINT unfolded_margins_pkey PRIMARY KEY (account_id, id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_analyze_scale_factor = 0,
  autovacuum_analyze_threshold = 1000000000);
-- What reports read: the sums and what waits for them.
CREATE VIEW metering.margins AS
  SELECT day, account_id, model, upstream, calls, uncosted_calls, revenue_picos, uncosted_revenue_picos, cost_picos
  FROM metering.daily_margins
  UNION ALL
  SELECT day, account_id, model, upstream, calls, uncosted_calls, revenue_picos, uncosted_revenue_picos, cost_picos
  FROM metering.unfolded_margins;
GRANT SELECT ON metering.daily_margins, metering.unfolded_margins, metering.margins TO console;
`;

// Loses the cost prices, and what calls cost at their upstreams.
const DOWN = `
DROP VIEW metering.margins;
DROP TABLE metering.daily_margins, metering.unfolded_margins;
ALTER TABLE metering.usage_events DROP COLUMN upstream_costs;
DROP TABLE pricing.cost_prices, pricing.cost_price_lists;
`;

/** What calls cost the operator, and so what is left of their price. */
export class CostPrices0000000000065 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
