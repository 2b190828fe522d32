import { type Sql } from '@inference/database';
import {
  type GpuPriceRow,
  type ModelPriceRow,
  type PriceListKind,
  type TrainingPriceRow,
} from './price-views';

const NEWEST = 'SELECT max(id) FROM pricing.price_lists WHERE kind =';
const MODELS = `
  SELECT slug, unit, rate_picos FROM pricing.model_prices
  WHERE price_list_id = (${NEWEST} 'models') ORDER BY position LIMIT $1`;
const GPUS = `
  SELECT name, hourly_price_picos FROM pricing.gpu_prices
  WHERE price_list_id = (${NEWEST} 'gpus') ORDER BY position LIMIT $1`;
const TRAINING = `
  SELECT token_rate_picos, gpu_hour_picos FROM pricing.training_prices
  WHERE price_list_id = (${NEWEST} 'training')`;
const INSERT_MODELS = `
  INSERT INTO pricing.model_prices (price_list_id, position, slug, unit, rate_picos)
  SELECT $1, row.position, row.slug, row.unit, row.rate
  FROM unnest($2::text[], $3::text[], $4::numeric[]) WITH ORDINALITY AS row (slug, unit, rate, position)`;
const INSERT_GPUS = `
  INSERT INTO pricing.gpu_prices (price_list_id, position, name, hourly_price_picos)
  SELECT $1, row.position, row.name, row.price
  FROM unnest($2::text[], $3::numeric[]) WITH ORDINALITY AS row (name, price, position)`;
const INSERT_TRAINING = `
  INSERT INTO pricing.training_prices (price_list_id, token_rate_picos, gpu_hour_picos) VALUES ($1, $2, $3)`;
const INSERT_LIST = 'INSERT INTO pricing.price_lists (kind, published_by) VALUES ($1, $2) RETURNING id';

/** Up to `limit` rows of the newest list; null: all. */
export async function readModelPrices(sql: Sql, limit: number | null): Promise<ModelPriceRow[]> {
  return (await sql.query<ModelPriceRow>(MODELS, [limit])).rows;
}

/** Up to `limit` rows of the newest list; null: all. */
export async function readGpuPrices(sql: Sql, limit: number | null): Promise<GpuPriceRow[]> {
  return (await sql.query<GpuPriceRow>(GPUS, [limit])).rows;
}

/** The newest price of training, or undefined before the first one. */
export async function readTrainingPrice(sql: Sql): Promise<TrainingPriceRow | undefined> {
  return (await sql.query<TrainingPriceRow>(TRAINING)).rows[0];
}

/**
 * Locks the lists of a kind until the end of the transaction. The newest list is the one with the highest id, so ids must be
 * committed in order, and a list that is based on the newest one must be the next.
 */
export async function lockLists(sql: Sql, kind: PriceListKind): Promise<void> {
  await sql.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`pricing.price_lists ${kind}`]);
}

async function insertList(sql: Sql, kind: PriceListKind, adminId: string): Promise<bigint> {
  const { rows } = await sql.query<{ id: bigint }>(INSERT_LIST, [kind, adminId]);
  return rows[0]!.id;
}

export async function insertModelPrices(sql: Sql, prices: ModelPriceRow[], adminId: string): Promise<void> {
  await sql.query(INSERT_MODELS, [
    await insertList(sql, 'models', adminId),
    prices.map(({ slug }) => slug),
    prices.map(({ unit }) => unit),
    prices.map(({ rate_picos: rate }) => rate),
  ]);
}

export async function insertGpuPrices(sql: Sql, prices: GpuPriceRow[], adminId: string): Promise<void> {
  await sql.query(INSERT_GPUS, [
    await insertList(sql, 'gpus', adminId),
    prices.map(({ name }) => name),
    prices.map(({ hourly_price_picos: picos }) => picos),
  ]);
}

export async function insertTrainingPrice(sql: Sql, price: TrainingPriceRow, adminId: string): Promise<void> {
  const listId = await insertList(sql, 'training', adminId);
  await sql.query(INSERT_TRAINING, [listId, price.token_rate_picos, price.gpu_hour_picos]);
}
