import { type Sql } from '@inference/database';
import { type PriceUnit } from '@inference/metering';

export interface TestPrice {
  slug: string;
  unit: PriceUnit;
  /** Picos for one token or request. */
  ratePicos: bigint;
}

const PUBLISH = `
  WITH list AS (INSERT INTO pricing.price_lists (kind) VALUES ('models') RETURNING id),
  prices AS (
    INSERT INTO pricing.model_prices (price_list_id, position, slug, unit, rate_picos)
    SELECT list.id, p.position, p.slug, p.unit, p.rate
    FROM list, unnest($1::text[], $2::text[], $3::numeric[]) WITH ORDINALITY AS p(slug, unit, rate, position)
  )
  SELECT id FROM list`;

/** Publishes a list of model prices that replaces the one in force. */
export async function publishPrices(sql: Sql, prices: TestPrice[]): Promise<bigint> {
  const { rows } = await sql.query<{ id: bigint }>(PUBLISH, [
    prices.map(({ slug }) => slug),
    prices.map(({ unit }) => unit),
    prices.map(({ ratePicos }) => ratePicos),
  ]);
  return rows[0]!.id;
}

const PUBLISH_GPUS = `
  WITH list AS (INSERT INTO pricing.price_lists (kind) VALUES ('gpus') RETURNING id)
  INSERT INTO pricing.gpu_prices (price_list_id, position, name, hourly_price_picos)
  SELECT list.id, g.position, g.name, g.price
  FROM list, unnest($1::text[], $2::numeric[]) WITH ORDINALITY AS g(name, price, position)`;

/** Publishes a list of GPU prices, in picos for an hour, that replaces the one in force. */
export async function publishGpuPrices(
  sql: Sql,
  gpus: { name: string; hourlyPicos: bigint }[],
): Promise<void> {
  const values = [gpus.map(({ name }) => name), gpus.map(({ hourlyPicos }) => hourlyPicos)];
  await sql.query(PUBLISH_GPUS, values);
}
