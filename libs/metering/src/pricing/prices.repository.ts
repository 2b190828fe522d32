import { type Executor } from '@inference/database';
import { type ExchangeRate, type ModelPrice, type PriceList } from './price-list.entity';

/** One price of the list in force; a list without prices has one row without a slug. */
type PriceInForce = Pick<ModelPrice, 'priceListId' | 'unit' | 'ratePicos'> &
  Pick<PriceList, 'effectiveFrom'> & { slug: string | null; usdPerUnit: ExchangeRate['usdPerUnit'] | null };

const IN_FORCE = `
  SELECT l.id AS "priceListId", l.effective_from AS "effectiveFrom", p.slug, p.unit, p.rate_picos AS "ratePicos",
    (SELECT usd_per_unit::text FROM pricing.exchange_rates WHERE day <= (now() AT TIME ZONE 'UTC')::date
     ORDER BY day DESC LIMIT 1) AS "usdPerUnit"
  FROM (SELECT id, effective_from FROM pricing.price_lists WHERE kind = 'models' ORDER BY id DESC LIMIT 1) l
  LEFT JOIN pricing.model_prices p ON p.price_list_id = l.id AND p.slug IS DISTINCT FROM $1 ORDER BY p.position`;

/** The model prices of the newest list, with today's exchange rate. @param exceptSlug a model that is left out */
export async function readModelPrices(executor: Executor, exceptSlug: string): Promise<PriceInForce[]> {
  return (await executor.query<PriceInForce>(IN_FORCE, [exceptSlug])).rows;
}
