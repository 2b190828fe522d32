import { type Executor } from '@inference/database';
import { type Price } from './price';
import { type ExchangeRate, type PriceList } from './price-list.entity';

/**
 * All prices of models as one relation: price_list_id, position, slug, unit, rate_picos, min_input_tokens, service_tier, hours,
 * effective_from.
 */
export const MODEL_PRICES = `(
    SELECT price_list_id, position, slug, unit, rate_picos, NULL::integer AS min_input_tokens, NULL::text AS service_tier,
      NULL::text AS hours, NULL::timestamptz AS effective_from
    FROM pricing.model_prices
    UNION ALL
    SELECT price_list_id, position, slug, unit, rate_picos, min_input_tokens, service_tier, hours, effective_from
    FROM pricing.further_model_prices
  )`;

/** One price of the newest list; a list without prices has one row without a slug. */
type ListedPrice = Required<Price> & {
  priceListId: PriceList['id'];
  listEffectiveFrom: PriceList['effectiveFrom'];
  slug: string | null;
  usdPerUnit: ExchangeRate['usdPerUnit'] | null;
};

const NEWEST = `
  SELECT l.id AS "priceListId", l.effective_from AS "listEffectiveFrom", p.slug, p.unit, p.rate_picos AS "ratePicos",
    p.min_input_tokens AS "minInputTokens", p.service_tier AS "serviceTier", p.hours, p.effective_from AS "effectiveFrom", p.position,
    (SELECT usd_per_unit::text FROM pricing.exchange_rates WHERE day <= (now() AT TIME ZONE 'UTC')::date
     ORDER BY day DESC LIMIT 1) AS "usdPerUnit"
  FROM (SELECT id, effective_from FROM pricing.price_lists WHERE kind = 'models' ORDER BY id DESC LIMIT 1) l
  LEFT JOIN ${MODEL_PRICES} p ON p.price_list_id = l.id AND p.slug IS DISTINCT FROM $1 ORDER BY p.position`;

/** The model prices of the newest list, with today's exchange rate. @param exceptSlug a model that is left out */
export async function readModelPrices(executor: Executor, exceptSlug: string): Promise<ListedPrice[]> {
  return (await executor.query<ListedPrice>(NEWEST, [exceptSlug])).rows;
}
