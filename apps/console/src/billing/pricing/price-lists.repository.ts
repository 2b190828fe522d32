import { type Executor, type Position, type Transaction } from '@inference/database';
import {
  FORMER_PRICE_UNITS,
  type GpuPrice,
  MODEL_PRICES,
  type Price,
  PriceList,
  type PriceListKind,
  TrainingPrice,
} from '@inference/metering';

export type ModelPriceRow = Omit<Price, 'position'> & { slug: string };
export type GpuPriceRow = Pick<GpuPrice, 'name' | 'hourlyPricePicos'>;
export type TrainingPriceRow = Pick<TrainingPrice, 'tokenRatePicos' | 'gpuHourPicos'>;

export interface PriceRows {
  models: ModelPriceRow;
  gpus: GpuPriceRow;
  training: TrainingPriceRow;
}

export type PublishedList = Pick<PriceList, 'id' | 'effectiveFrom' | 'publishedBy' | 'reason'> & {
  publisherEmail: string | null;
  /** Number of prices. */
  size: number;
  position: Position;
};

/** SQL of a kind of price. Training has one price, without a name. */
interface PriceTable {
  table: string;
  columns: string;
  name: string;
  /** What changes when the price of a name changes. */
  values: string;
  order: string;
}

const PRICES: Record<PriceListKind, PriceTable> = {
  models: {
    table: MODEL_PRICES,
    columns: `slug, unit, rate_picos AS "ratePicos", min_input_tokens AS "minInputTokens", service_tier AS "serviceTier", hours,
      effective_from AS "effectiveFrom"`,
    name: 'slug',
    values: 'unit, rate_picos, min_input_tokens, service_tier, hours, effective_from',
    order: 'position',
  },
  gpus: {
    table: 'pricing.gpu_prices',
    columns: 'name, hourly_price_picos AS "hourlyPricePicos"',
    name: 'name',
    values: 'hourly_price_picos',
    order: 'position',
  },
  training: {
    table: 'pricing.training_prices',
    columns: 'token_rate_picos AS "tokenRatePicos", gpu_hour_picos AS "gpuHourPicos"',
    name: "'training'",
    values: 'token_rate_picos, gpu_hour_picos',
    order: 'price_list_id',
  },
};

const newestPrices = (kind: PriceListKind) => `
  SELECT ${PRICES[kind].columns} FROM ${PRICES[kind].table} p
  WHERE price_list_id = (SELECT max(id) FROM pricing.price_lists WHERE kind = '${kind}')
  ORDER BY ${PRICES[kind].order} LIMIT $1`;
/** Earlier versions read the first table alone, and would charge what is in the second always and at once. */
const INSERT_MODELS = `
  WITH prices AS (
    SELECT *, unit = ANY ($9::text[]) AND num_nonnulls(tokens, tier, hours, effective) = 0 AS is_plain
    FROM unnest($2::text[], $3::text[], $4::numeric[], $5::integer[], $6::text[], $7::text[], $8::timestamptz[])
      WITH ORDINALITY AS row (slug, unit, rate, tokens, tier, hours, effective, position)
  ), plain AS (
    INSERT INTO pricing.model_prices (price_list_id, position, slug, unit, rate_picos)
    SELECT $1, position, slug, unit, rate FROM prices WHERE is_plain
  )
  INSERT INTO pricing.further_model_prices (price_list_id, position, slug, unit, rate_picos, min_input_tokens, service_tier, hours,
    effective_from)
  SELECT $1, position, slug, unit, rate, tokens, tier, hours, effective FROM prices WHERE NOT is_plain`;
const INSERT_GPUS = `
  INSERT INTO pricing.gpu_prices (price_list_id, position, name, hourly_price_picos)
  SELECT $1, row.position, row.name, row.price
  FROM unnest($2::text[], $3::numeric[]) WITH ORDINALITY AS row (name, price, position)`;

const LIST_COLUMNS = `l.id, l.effective_from AS "effectiveFrom", l.published_by AS "publishedBy", l.reason,
  (SELECT a.email FROM accounts.accounts a WHERE a.id = l.published_by) AS "publisherEmail",
  to_char(l.effective_from AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at`;
const allLists = (kind: PriceListKind) => `
  SELECT ${LIST_COLUMNS},
    (SELECT count(*) FROM ${PRICES[kind].table} p WHERE p.price_list_id = l.id)::integer AS size
  FROM pricing.price_lists l
  WHERE l.kind = '${kind}' AND ($1::bigint IS NULL OR l.id < $1) ORDER BY l.id DESC LIMIT $2`;
/** Lists that changed, added or removed the price of the name. */
const listsThatChangedName = (kind: PriceListKind) => `
  WITH l AS (
    SELECT l.*, prices, lag(prices) OVER (ORDER BY id) AS before
    FROM pricing.price_lists l, LATERAL (
      SELECT array_agg((${PRICES[kind].values})::text ORDER BY (${PRICES[kind].values})::text) AS prices
      FROM ${PRICES[kind].table} p WHERE p.price_list_id = l.id AND p.${PRICES[kind].name} = $3
    ) of_this
    WHERE l.kind = '${kind}'
  )
  SELECT ${LIST_COLUMNS}, COALESCE(cardinality(prices), 0) AS size FROM l
  WHERE prices IS DISTINCT FROM before AND ($1::bigint IS NULL OR l.id < $1) ORDER BY l.id DESC LIMIT $2`;
const pricesOfLists = (kind: PriceListKind) => `
  SELECT price_list_id AS "priceListId", ${PRICES[kind].columns} FROM ${PRICES[kind].table} p
  WHERE price_list_id = ANY ($1) AND ($2::text IS NULL OR ${PRICES[kind].name} = $2)
  ORDER BY price_list_id DESC, ${PRICES[kind].order}`;

/** Up to `limit` prices of the newest list, in their published order; null: all. */
export async function readNewestPrices<K extends PriceListKind>(
  executor: Executor,
  kind: K,
  limit: number | null,
): Promise<PriceRows[K][]> {
  return (await executor.query<PriceRows[K]>(newestPrices(kind), [limit])).rows;
}

/**
 * Locks the lists of a kind until the end of the transaction. The newest list is the one with the highest id, so ids must be
 * committed in order, and a list that is based on the newest one must be the next.
 */
export async function lockLists(transaction: Transaction, kind: PriceListKind): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtext($1))', [`pricing.price_lists ${kind}`]);
}

/** Null before the first list of the kind. */
export async function readNewestListId(executor: Executor, kind: PriceListKind): Promise<bigint | null> {
  const { rows } = await executor.query<{ id: bigint | null }>(
    'SELECT max(id) AS id FROM pricing.price_lists WHERE kind = $1',
    [kind],
  );
  return rows[0]!.id;
}

/** Who publishes a list, and why. */
export type NewPublication = Pick<PriceList, 'publishedBy' | 'reason'>;

async function insertList(
  transaction: Transaction,
  kind: PriceListKind,
  publication: NewPublication,
): Promise<bigint> {
  const lists = transaction.repository(PriceList);
  const list = lists.create({ kind, ...publication });
  await lists.insert(list);
  return list.id;
}

export async function insertModelPrices(
  transaction: Transaction,
  prices: ModelPriceRow[],
  publication: NewPublication,
): Promise<void> {
  await transaction.query(INSERT_MODELS, [
    await insertList(transaction, 'models', publication),
    prices.map(({ slug }) => slug),
    prices.map(({ unit }) => unit),
    prices.map(({ ratePicos }) => ratePicos),
    prices.map(({ minInputTokens }) => minInputTokens ?? null),
    prices.map(({ serviceTier }) => serviceTier ?? null),
    prices.map(({ hours }) => hours ?? null),
    prices.map(({ effectiveFrom }) => effectiveFrom ?? null),
    FORMER_PRICE_UNITS,
  ]);
}

export async function insertGpuPrices(
  transaction: Transaction,
  prices: GpuPriceRow[],
  publication: NewPublication,
): Promise<void> {
  await transaction.query(INSERT_GPUS, [
    await insertList(transaction, 'gpus', publication),
    prices.map(({ name }) => name),
    prices.map(({ hourlyPricePicos }) => hourlyPricePicos),
  ]);
}

export async function insertTrainingPrice(
  transaction: Transaction,
  price: TrainingPriceRow,
  publication: NewPublication,
): Promise<void> {
  const priceListId = await insertList(transaction, 'training', publication);
  await transaction.repository(TrainingPrice).insert({ ...price, priceListId });
}

/** Newest first; with a name only the lists that changed its price. */
export async function listPublished(
  executor: Executor,
  kind: PriceListKind,
  name: string | null,
  beforeId: string | null,
  count: number,
): Promise<PublishedList[]> {
  const { rows } = await executor.query<Omit<PublishedList, 'position'> & { at: string }>(
    name === null ? allLists(kind) : listsThatChangedName(kind),
    [beforeId, count, ...(name === null ? [] : [name])],
  );
  return rows.map(({ at, ...list }) => ({ ...list, position: { at, id: String(list.id) } }));
}

/** The prices of these lists by list id, in their published order; with a name only its prices. */
export async function readPrices<K extends PriceListKind>(
  executor: Executor,
  kind: K,
  name: string | null,
  listIds: bigint[],
): Promise<Map<bigint, PriceRows[K][]>> {
  const { rows } = await executor.query<PriceRows[K] & { priceListId: bigint }>(pricesOfLists(kind), [
    listIds,
    name,
  ]);
  const byList = new Map<bigint, PriceRows[K][]>(listIds.map((id) => [id, []]));
  for (const row of rows) byList.get(row.priceListId)!.push(row);
  return byList;
}
