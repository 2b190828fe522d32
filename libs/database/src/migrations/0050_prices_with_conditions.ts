import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration';

const UP = `
-- Prices of a list that have conditions, are not effective yet, or have a unit that versions up to 0.2.0 do not know. Those read
-- pricing.model_prices alone, and so charge every call at the unconditional prices of the units that they know.
CREATE TABLE pricing.further_model_prices (
  price_list_id bigint,
  -- Place in the list; the prices in pricing.model_prices have the rest of the places.
  position integer,
  slug text NOT NULL,
  unit text NOT NULL,
  -- Picos per token, character, request, image or search, or per minute of audio.
  rate_picos numeric(38, 0) NOT NULL,
  min_input_tokens integer,
  service_tier text,
  -- A daily window in the time zone of the site; it may pass midnight.
  hours text,
  -- From then on it replaces the price with the same unit and conditions. Null: since its list is in force.
  effective_from timestamptz,
  CONSTRAINT further_model_prices_pkey PRIMARY KEY (price_list_id, position),
  CONSTRAINT further_model_prices_rate_picos_check CHECK (rate_picos >= 0),
  CONSTRAINT further_model_prices_min_input_tokens_check CHECK (min_input_tokens > 0),
  CONSTRAINT further_model_prices_service_tier_check CHECK (service_tier IN ('batch', 'flex', 'priority')),
  CONSTRAINT further_model_prices_hours_check
    CHECK (hours ~ '^([01][0-9]|2[0-3]):[0-5][0-9]-([01][0-9]|2[0-3]):[0-5][0-9]$' AND left(hours, 5) <> right(hours, 5)),
  CONSTRAINT further_model_prices_price_list_id_fkey FOREIGN KEY (price_list_id) REFERENCES pricing.price_lists (id)
);
GRANT SELECT, INSERT ON pricing.further_model_prices TO console;
GRANT SELECT ON pricing.further_model_prices TO gateway, training;
`;

const DOWN = `
-- Loses the prices with conditions, the upcoming ones, and those in the new units. Publish a list without them before.
DROP TABLE pricing.further_model_prices;
`;

/** Prices with conditions, and in units that earlier versions do not know, beside those that they read. */
export class PricesWithConditions0000000000050 implements Migration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
