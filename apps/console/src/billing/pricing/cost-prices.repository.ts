import { type Executor, type Position, type Transaction } from '@inference/database';
import { CostPrice, CostPriceList, type Price } from '@inference/metering';
import { EVERY_MODEL, StoredUpstream } from '@inference/serving';
import { type ModelPriceRow, type NewPublication } from './price-lists.repository';

/** A cost price; `slug` is the upstream's own name of the model. */
export type CostPriceRow = ModelPriceRow;

const rowOf = ({ model, unit, ratePicos, minInputTokens, serviceTier, hours, effectiveFrom }: CostPrice) => ({
  slug: model,
  unit,
  ratePicos,
  minInputTokens,
  serviceTier,
  hours,
  effectiveFrom,
});

export const readUpstreamName = async (executor: Executor, id: string): Promise<string | null> =>
  (await executor.repository(StoredUpstream).findOne({ select: { name: true }, where: { id } }))?.name ??
  null;

/** Waits for other publications of the upstream: the newest list is the one with the highest id. */
export async function lockCostPrices(transaction: Transaction, upstreamId: string): Promise<void> {
  await transaction.query('SELECT pg_advisory_xact_lock(hashtext($1))', [
    `pricing.cost_prices ${upstreamId}`,
  ]);
}

/** The newest list of an upstream; null before the first one. */
export async function readNewestCosts(
  executor: Executor,
  upstreamId: string,
): Promise<{ id: bigint; prices: CostPriceRow[] } | null> {
  const [list] = await executor
    .repository(CostPriceList)
    .find({ where: { upstreamId }, order: { id: 'DESC' }, take: 1 });
  if (!list) return null;
  return { id: list.id, prices: await readCosts(executor, list.id) };
}

export const readCosts = async (executor: Executor, costPriceListId: bigint): Promise<CostPriceRow[]> =>
  (await executor.repository(CostPrice).find({ where: { costPriceListId }, order: { position: 'ASC' } })).map(
    rowOf,
  );

export async function insertCosts(
  transaction: Transaction,
  upstreamId: string,
  prices: readonly CostPriceRow[],
  publication: NewPublication,
): Promise<void> {
  const lists = transaction.repository(CostPriceList);
  const list = lists.create({ upstreamId, ...publication });
  await lists.insert(list);
  await transaction.query(
    `INSERT INTO pricing.cost_prices (cost_price_list_id, position, model, unit, rate_picos, min_input_tokens, service_tier, hours,
       effective_from)
     SELECT $1, position, model, unit, rate, tokens, tier, hours, effective
     FROM unnest($2::text[], $3::text[], $4::numeric[], $5::integer[], $6::text[], $7::text[], $8::timestamptz[])
       WITH ORDINALITY AS row (model, unit, rate, tokens, tier, hours, effective, position)`,
    [
      list.id,
      prices.map(({ slug }) => slug),
      prices.map(({ unit }) => unit),
      prices.map(({ ratePicos }) => ratePicos),
      prices.map(({ minInputTokens }) => minInputTokens ?? null),
      prices.map(({ serviceTier }) => serviceTier ?? null),
      prices.map(({ hours }) => hours ?? null),
      prices.map(({ effectiveFrom }) => effectiveFrom ?? null),
    ],
  );
}

export type PublishedCosts = Pick<CostPriceList, 'id' | 'effectiveFrom' | 'publishedBy' | 'reason'> & {
  publisherEmail: string | null;
  position: Position;
};

/** The lists of an upstream without their prices, newest first. */
export async function listCosts(
  executor: Executor,
  upstreamId: string,
  beforeId: string | null,
  count: number,
): Promise<PublishedCosts[]> {
  const { rows } = await executor.query<Omit<PublishedCosts, 'position'> & { at: string }>(
    `SELECT l.id, l.effective_from AS "effectiveFrom", l.published_by AS "publishedBy", l.reason,
       (SELECT a.email FROM accounts.accounts a WHERE a.id = l.published_by) AS "publisherEmail",
       to_char(l.effective_from AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
     FROM pricing.cost_price_lists l
     WHERE l.upstream_id = $1 AND ($2::bigint IS NULL OR l.id < $2) ORDER BY l.id DESC LIMIT $3`,
    [upstreamId, beforeId, count],
  );
  return rows.map(({ at, ...list }) => ({ ...list, position: { at, id: String(list.id) } }));
}

/** How an active upstream serves a model, and what it takes. */
export interface ServedCosts {
  upstreamId: string;
  upstream: string;
  /** A slug, or EVERY_MODEL. */
  model: string;
  upstreamName: string | null;
  /** Of all its models, by its own names of them. */
  prices: CostPriceRow[];
}

/** What the active upstreams take, a row for each model that they name; with an id how that one serves its models, with prices or not. */
export async function readServedCosts(executor: Executor, upstreamId?: string): Promise<ServedCosts[]> {
  const { rows } = await executor.query<
    Omit<ServedCosts, 'prices'> & {
      prices:
        | (Omit<Price, 'ratePicos'> & { slug: string; ratePicos: string; effectiveFrom: string | null })[]
        | null;
    }
  >(
    `SELECT u.id AS "upstreamId", u.name AS upstream, m.model, m.upstream_name AS "upstreamName", p.prices
     FROM serving.upstreams u JOIN serving.upstream_models m ON m.upstream_id = u.id
     CROSS JOIN LATERAL (
       SELECT json_agg(json_build_object('slug', c.model, 'unit', c.unit, 'ratePicos', c.rate_picos::text,
         'minInputTokens', c.min_input_tokens, 'serviceTier', c.service_tier, 'hours', c.hours, 'effectiveFrom', c.effective_from)
         ORDER BY c.position) AS prices
       FROM pricing.cost_prices c
       WHERE c.cost_price_list_id = (SELECT max(id) FROM pricing.cost_price_lists WHERE upstream_id = u.id)
         AND (m.model = '${EVERY_MODEL}' OR c.model = coalesce(m.upstream_name, m.model))
     ) p
     WHERE CASE WHEN $1::text IS NULL THEN u.state = 'active' AND p.prices IS NOT NULL ELSE u.id = $1 END ORDER BY u.name, m.model`,
    [upstreamId ?? null],
  );
  return rows.map((row) => ({
    ...row,
    prices: (row.prices ?? []).map((price) => ({
      ...price,
      ratePicos: BigInt(price.ratePicos),
      effectiveFrom: price.effectiveFrom === null ? null : new Date(price.effectiveFrom),
    })),
  }));
}
