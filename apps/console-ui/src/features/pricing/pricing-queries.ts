import { queryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas } from '../../api/console-api';
import { Figure } from '../../figures/figure';
import { type Currency } from '../../figures/format-figure';

export type UnitPrice = Schemas['ModelPriceResponse'];
export type GpuPrice = Schemas['GpuPriceResponse'];

export const pricingQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: ['pricing'],
    queryFn: ({ signal }) => bodyOf(api.GET('/api/pricing', { signal })),
  });

/** All prices of one model. */
export interface ModelPrice {
  slug: string;
  currency: Currency;
  prices: Partial<Record<UnitPrice['unit'], Figure>>;
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
  for (const { slug, currency, unit, price } of rows) {
    const model = models.get(slug) ?? { slug, currency, prices: {} };
    model.prices[unit] = price;
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
