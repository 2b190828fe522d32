import { type MigrationInterface, type QueryRunner } from 'typeorm';

const UP = `
CREATE SCHEMA pricing;
GRANT USAGE ON SCHEMA pricing TO console, gateway, training;

-- A published list replaces the previous list as a whole and never changes. All lists together are the price history.
CREATE TABLE pricing.price_lists (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('models', 'gpus')),
  effective_from timestamptz NOT NULL DEFAULT clock_timestamp(),
  published_by text REFERENCES accounts.accounts
);
CREATE INDEX price_lists_newest ON pricing.price_lists (kind, id DESC);

CREATE TABLE pricing.model_prices (
  price_list_id bigint NOT NULL REFERENCES pricing.price_lists,
  position integer NOT NULL,
  slug text NOT NULL,
  unit text NOT NULL CHECK (unit IN
    ('per_million_tokens', 'per_million_input_tokens', 'per_million_output_tokens', 'per_request')),
  -- Picos per token or per request.
  rate_picos numeric(38, 0) NOT NULL CHECK (rate_picos >= 0),
  PRIMARY KEY (price_list_id, slug, unit)
);

CREATE TABLE pricing.gpu_prices (
  price_list_id bigint NOT NULL REFERENCES pricing.price_lists,
  position integer NOT NULL,
  name text NOT NULL,
  hourly_price_picos numeric(38, 0) NOT NULL CHECK (hourly_price_picos >= 0),
  PRIMARY KEY (price_list_id, name)
);

-- The value of one unit of the site's currency in USD. A request uses the rate of its day, or of the last day before it
-- that has one.
CREATE TABLE pricing.exchange_rates (
  day date PRIMARY KEY,
  usd_per_unit numeric(20, 10) NOT NULL CHECK (usd_per_unit > 0)
);

CREATE FUNCTION pricing.notify_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('pricing', '');
  RETURN NULL;
END $$;
CREATE TRIGGER price_list_published AFTER INSERT ON pricing.price_lists
  FOR EACH STATEMENT EXECUTE FUNCTION pricing.notify_change();
CREATE TRIGGER exchange_rate_stored AFTER INSERT OR UPDATE OR DELETE ON pricing.exchange_rates
  FOR EACH STATEMENT EXECUTE FUNCTION pricing.notify_change();

GRANT SELECT, INSERT ON pricing.price_lists, pricing.model_prices, pricing.gpu_prices TO console;
GRANT SELECT, INSERT, UPDATE ON pricing.exchange_rates TO console;
GRANT SELECT ON ALL TABLES IN SCHEMA pricing TO gateway, training;
`;

const DOWN = `
-- Loses the price history and all exchange rates.
DROP SCHEMA pricing CASCADE;
`;

export class Pricing0000000000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
