import { type Sql } from '@inference/database';
import { type Position } from '@inference/http';
import {
  type GpuPriceRow,
  type ModelPriceRow,
  type PriceListKind,
  type TrainingPriceRow,
} from '../price-views';

export interface PublishedList {
  id: bigint;
  effectiveFrom: Date;
  publishedBy: string | null;
  /** Number of prices. */
  size: number;
  position: Position;
}

export interface PriceRows {
  models: ModelPriceRow;
  gpus: GpuPriceRow;
  training: TrainingPriceRow;
}

/** Table, name (an SQL expression), value columns and order of each kind of price. Training has one price, without a name. */
const PRICES: Record<PriceListKind, { table: string; name: string; rest: string; order: string }> = {
  models: { table: 'pricing.model_prices', name: 'slug', rest: 'unit, rate_picos', order: 'position' },
  gpus: { table: 'pricing.gpu_prices', name: 'name', rest: 'hourly_price_picos', order: 'position' },
  training: {
    table: 'pricing.training_prices',
    name: "'training'",
    rest: 'token_rate_picos, gpu_hour_picos',
    order: '1',
  },
};

const COLUMNS = `l.id, l.effective_from AS "effectiveFrom", l.published_by AS "publishedBy",
  to_char(l.effective_from AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at`;

const allLists = (kind: PriceListKind) => `
  SELECT ${COLUMNS}, (SELECT count(*) FROM ${PRICES[kind].table} p WHERE p.price_list_id = l.id)::integer AS size
  FROM pricing.price_lists l
  WHERE l.kind = '${kind}' AND ($1::bigint IS NULL OR l.id < $1) ORDER BY l.id DESC LIMIT $2`;

/** Lists that changed, added or removed the price of the name. */
const listsThatChangedName = (kind: PriceListKind) => `
  WITH l AS (
    SELECT l.*, prices, lag(prices) OVER (ORDER BY id) AS before
    FROM pricing.price_lists l, LATERAL (
      SELECT array_agg((${PRICES[kind].rest})::text ORDER BY (${PRICES[kind].rest})::text) AS prices
      FROM ${PRICES[kind].table} p WHERE p.price_list_id = l.id AND p.${PRICES[kind].name} = $3
    ) of_this
    WHERE l.kind = '${kind}'
  )
  SELECT ${COLUMNS}, COALESCE(cardinality(prices), 0) AS size FROM l
  WHERE prices IS DISTINCT FROM before AND ($1::bigint IS NULL OR l.id < $1) ORDER BY l.id DESC LIMIT $2`;

const rowsOf = (kind: PriceListKind) => `
  SELECT price_list_id, ${PRICES[kind].name}, ${PRICES[kind].rest} FROM ${PRICES[kind].table}
  WHERE price_list_id = ANY ($1) AND ($2::text IS NULL OR ${PRICES[kind].name} = $2)
  ORDER BY price_list_id DESC, ${PRICES[kind].order}`;

/** Newest first; with a name only the lists that changed its price. */
export async function listPublished(
  sql: Sql,
  kind: PriceListKind,
  name: string | null,
  beforeId: string | null,
  count: number,
): Promise<PublishedList[]> {
  const { rows } = await sql.query<Omit<PublishedList, 'position'> & { at: string }>(
    name === null ? allLists(kind) : listsThatChangedName(kind),
    [beforeId, count, ...(name === null ? [] : [name])],
  );
  return rows.map(({ at, ...list }) => ({ ...list, position: { at, id: String(list.id) } }));
}

/** The prices of these lists by list id, in their published order; with a name only its prices. */
export async function readPrices<K extends PriceListKind>(
  sql: Sql,
  kind: K,
  name: string | null,
  listIds: bigint[],
): Promise<Map<bigint, PriceRows[K][]>> {
  const { rows } = await sql.query<PriceRows[K] & { price_list_id: bigint }>(rowsOf(kind), [listIds, name]);
  const byList = new Map<bigint, PriceRows[K][]>(listIds.map((id) => [id, []]));
  for (const row of rows) byList.get(row.price_list_id)!.push(row);
  return byList;
}
