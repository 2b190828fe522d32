import { queryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas } from '../../api/console-api';
import { Figure } from '../../figures/figure';
import { type Currency } from '../../figures/format-figure';

/** The prices of one unit of a model: the one without conditions, and others. */
export type UnitPrice = Schemas['OfferedModelPriceResponse'];
export type PriceUnit = UnitPrice['unit'];
export type GpuPrice = Schemas['GpuPriceResponse'];

/** When a price holds, as the service tells it. */
export type PriceTerms = Partial<
  Pick<Schemas['ModelPriceResponse'], 'min_input_tokens' | 'service_tier' | 'hours' | 'effective_from'>
>;

export const SERVICE_TIERS = ['batch', 'flex', 'priority'] as const;

/** All units, in the order in which they are shown. */
export const PRICE_UNITS: readonly PriceUnit[] = [
  'per_million_input_tokens',
  'per_million_cached_input_tokens',
  'per_million_cache_write_tokens',
  'per_million_cache_write_1h_tokens',
  'per_million_audio_input_tokens',
  'per_million_output_tokens',
  'per_million_reasoning_tokens',
  'per_million_audio_output_tokens',
  'per_million_tokens',
  'per_million_characters',
  'per_request',
  'per_image',
  'per_audio_minute',
  'per_search',
];

export const pricingQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['pricing'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/pricing', { signal })),
  });

/** All prices of one model. */
export interface ModelPrice {
  slug: string;
  currency: Currency;
  /** Those without conditions that are in force. */
  prices: Partial<Record<PriceUnit, Figure>>;
  /** The same with conditional and upcoming ones. */
  rows: UnitPrice[];
}

export interface Consumption {
  inputTokens: Figure;
  outputTokens: Figure;
  requests: Figure;
}

/** A price is for a million tokens: ten to the power of six. */
const MILLION_EXPONENT = 6;

/** Collects the prices of each model, in the order of the list. */
export function groupByModel(rows: UnitPrice[]): ModelPrice[] {
  const models = new Map<string, ModelPrice>();
  for (const row of rows) {
    const { slug, currency, unit, price } = row;
    const model = models.get(slug) ?? { slug, currency, prices: {}, rows: [] };
    model.prices[unit] = price;
    model.rows.push(row);
    models.set(slug, model);
  }
  return [...models.values()];
}

/** What a consumption costs, exactly. */
export function costOf({ prices }: ModelPrice, { inputTokens, outputTokens, requests }: Consumption): Figure {
  const forTokens = (price: Figure | undefined, tokens: Figure) =>
    price ? price.times(tokens).dividedByTenTo(MILLION_EXPONENT) : Figure.zero;
  return Figure.sum([
    forTokens(prices.per_million_tokens, inputTokens.plus(outputTokens)),
    forTokens(prices.per_million_input_tokens, inputTokens),
    forTokens(prices.per_million_output_tokens, outputTokens),
    prices.per_request ? prices.per_request.times(requests) : Figure.zero,
  ]);
}

/** The model for the example of a chat: the first that is paid for its answers; embeddings have no output. */
export function chatModelIn(models: ModelPrice[]): string {
  const answers = models.find(({ prices }) => prices.per_million_output_tokens ?? prices.per_million_tokens);
  return (answers ?? models[0])?.slug ?? 'MODEL';
}
