import { type QueryRunner } from 'typeorm';
import { type Migration } from '../migration-runner/migration';

const UP = `
-- The price of training has a list of its own, so that a new list of models or GPUs does not change it.
ALTER TABLE pricing.price_lists DROP CONSTRAINT price_lists_kind_check;
ALTER TABLE pricing.price_lists ADD CONSTRAINT price_lists_kind_check CHECK (kind IN ('models', 'gpus', 'training'));

CREATE TABLE pricing.training_prices (
  price_list_id bigint PRIMARY KEY REFERENCES pricing.price_lists,
  -- Picos per token.
  token_rate_picos numeric(38, 0) NOT NULL CHECK (token_rate_picos >= 0),
  -- Null in a price from before this migration if no GPU price was published.
  gpu_hour_picos numeric(38, 0) CHECK (gpu_hour_picos >= 0)
);
GRANT SELECT, INSERT ON pricing.training_prices TO console;
GRANT SELECT ON pricing.training_prices TO training;

-- The price in force: of the slug under which training was charged last, or else of the slug 'training', if that has a
-- price per token only; and of the first GPU.
WITH slug AS (
  SELECT coalesce(
    (SELECT model FROM metering.hourly_rollup WHERE entrypoint = 'training' ORDER BY hour DESC LIMIT 1), 'training') AS name
), price AS (
  SELECT p.rate_picos, (
    SELECT hourly_price_picos FROM pricing.gpu_prices
    WHERE price_list_id = (SELECT max(id) FROM pricing.price_lists WHERE kind = 'gpus') ORDER BY position LIMIT 1
  ) AS gpu_hour_picos
  FROM slug, LATERAL training.token_price(slug.name) p WHERE p.rate_picos IS NOT NULL
), list AS (
  INSERT INTO pricing.price_lists (kind) SELECT 'training' FROM price RETURNING id
)
INSERT INTO pricing.training_prices (price_list_id, token_rate_picos, gpu_hour_picos)
SELECT list.id, price.rate_picos, price.gpu_hour_picos FROM list, price;

-- The current price of a token; null before the first one. All slugs have the same: older replicas name theirs.
CREATE OR REPLACE FUNCTION training.token_price(p_slug text, OUT price_list_id bigint, OUT rate_picos numeric) LANGUAGE sql STABLE AS $$
  SELECT p.price_list_id, p.token_rate_picos FROM pricing.training_prices p ORDER BY p.price_list_id DESC LIMIT 1;
$$;
`;

const DOWN = `
-- Loses the list of training prices: the price of the slug counts again.
CREATE OR REPLACE FUNCTION training.token_price(p_slug text, OUT price_list_id bigint, OUT rate_picos numeric) LANGUAGE sql STABLE AS $$
  SELECT p.price_list_id, p.rate_picos
  FROM pricing.model_prices p
  WHERE p.price_list_id = (SELECT max(id) FROM pricing.price_lists WHERE kind = 'models')
    AND p.slug = p_slug AND p.unit = 'per_million_tokens'
    AND NOT EXISTS (
      SELECT FROM pricing.model_prices o
      WHERE o.price_list_id = p.price_list_id AND o.slug = p.slug AND o.unit <> p.unit
    );
$$;
DROP TABLE pricing.training_prices;
DELETE FROM pricing.price_lists WHERE kind = 'training';
ALTER TABLE pricing.price_lists DROP CONSTRAINT price_lists_kind_check;
ALTER TABLE pricing.price_lists ADD CONSTRAINT price_lists_kind_check CHECK (kind IN ('models', 'gpus'));
`;

export class TrainingPrices0000000000020 implements Migration {
  readonly acceptedLock = 'It was released before this check. It reads all price lists.';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(UP);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(DOWN);
  }
}
