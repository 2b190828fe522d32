CREATE SCHEMA pricing;
GRANT USAGE ON SCHEMA pricing TO console, gateway, training;

-- A published list replaces the previous list as a whole and never changes. All lists together are the price history.
CREATE TABLE pricing.price_lists (
  id bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  effective_from timestamptz NOT NULL DEFAULT clock_timestamp(),
  published_by text,
  CONSTRAINT price_lists_pkey PRIMARY KEY (id),
  CONSTRAINT price_lists_kind_check CHECK (kind IN ('models', 'gpus', 'training')),
  CONSTRAINT price_lists_published_by_fkey FOREIGN KEY (published_by) REFERENCES accounts.accounts (id)
);
CREATE INDEX price_lists_newest ON pricing.price_lists (kind, id DESC);
GRANT SELECT, INSERT ON pricing.price_lists TO console;
GRANT SELECT ON pricing.price_lists TO gateway, training;

CREATE TABLE pricing.model_prices (
  price_list_id bigint,
  position integer NOT NULL,
  slug text,
  unit text,
  -- Picos per token or per request.
  rate_picos numeric(38, 0) NOT NULL,
  CONSTRAINT model_prices_pkey PRIMARY KEY (price_list_id, slug, unit),
  CONSTRAINT model_prices_unit_check CHECK (unit IN ('per_million_tokens', 'per_million_input_tokens', 'per_million_output_tokens', 'per_request')),
  CONSTRAINT model_prices_rate_picos_check CHECK (rate_picos >= 0),
  CONSTRAINT model_prices_price_list_id_fkey FOREIGN KEY (price_list_id) REFERENCES pricing.price_lists (id)
);
GRANT SELECT, INSERT ON pricing.model_prices TO console;
GRANT SELECT ON pricing.model_prices TO gateway, training;

CREATE TABLE pricing.gpu_prices (
  price_list_id bigint,
  position integer NOT NULL,
  name text,
  hourly_price_picos numeric(38, 0) NOT NULL,
  CONSTRAINT gpu_prices_pkey PRIMARY KEY (price_list_id, name),
  CONSTRAINT gpu_prices_hourly_price_picos_check CHECK (hourly_price_picos >= 0),
  CONSTRAINT gpu_prices_price_list_id_fkey FOREIGN KEY (price_list_id) REFERENCES pricing.price_lists (id)
);
GRANT SELECT, INSERT ON pricing.gpu_prices TO console;
GRANT SELECT ON pricing.gpu_prices TO gateway, training;

-- The value of one unit of the site's currency in USD. A request uses the rate of its day, or of the last day before it
-- that has one.
CREATE TABLE pricing.exchange_rates (
  day date,
  usd_per_unit numeric(20, 10) NOT NULL,
  CONSTRAINT exchange_rates_pkey PRIMARY KEY (day),
  CONSTRAINT exchange_rates_usd_per_unit_check CHECK (usd_per_unit > 0)
);
GRANT SELECT, INSERT, UPDATE ON pricing.exchange_rates TO console;
GRANT SELECT ON pricing.exchange_rates TO gateway, training;

CREATE TABLE pricing.training_prices (
  price_list_id bigint,
  -- Picos per token.
  token_rate_picos numeric(38, 0) NOT NULL,
  -- Null in a price from before this migration if no GPU price was published.
  gpu_hour_picos numeric(38, 0),
  CONSTRAINT training_prices_pkey PRIMARY KEY (price_list_id),
  CONSTRAINT training_prices_token_rate_picos_check CHECK (token_rate_picos >= 0),
  CONSTRAINT training_prices_gpu_hour_picos_check CHECK (gpu_hour_picos >= 0),
  CONSTRAINT training_prices_price_list_id_fkey FOREIGN KEY (price_list_id) REFERENCES pricing.price_lists (id)
);
GRANT SELECT, INSERT ON pricing.training_prices TO console;
GRANT SELECT ON pricing.training_prices TO training;
