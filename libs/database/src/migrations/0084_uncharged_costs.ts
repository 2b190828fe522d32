import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- What upstreams take for calls that nobody was charged for, since they have failed or could not be billed. The margins have it by day.
CREATE TABLE metering.uncharged_costs (
  request_id text,
  -- Of the call, from 1.
  attempt integer,
  occurred_at timestamptz NOT NULL,
  account_id text NOT NULL,
  -- That was called, or the fallback whose answer failed after it had begun.
  model text NOT NULL,
  upstream text NOT NULL,
  cost_price_list_id bigint NOT NULL,
  cost_picos numeric(38, 0) NOT NULL,
  CONSTRAINT uncharged_costs_pkey PRIMARY KEY (request_id, attempt)
);
GRANT SELECT ON metering.uncharged_costs TO console;
`;

const DOWN = `
-- Loses what calls cost that nobody was charged for: the margins of their days are without it.
INSERT INTO metering.unfolded_margins (account_id, day, model, upstream, calls, uncosted_calls, revenue_picos, uncosted_revenue_picos,
  cost_picos)
SELECT account_id, date_trunc('day', occurred_at, 'UTC') AS day, model, upstream, 0, 0, 0, 0, -sum(cost_picos)
FROM metering.uncharged_costs GROUP BY account_id, day, model, upstream;
UPDATE billing.day_margins m SET cost_picos = m.cost_picos - u.cost_picos
FROM (
  SELECT date_trunc('day', occurred_at, 'UTC') AS day, sum(cost_picos) AS cost_picos FROM metering.uncharged_costs GROUP BY 1
) u WHERE u.day = m.day;
DROP FUNCTION IF EXISTS metering.add_uncharged_costs;
DROP TABLE metering.uncharged_costs;
`;

/** The cost of calls that nobody was charged for. */
export class UnchargedCosts0000000000084 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
