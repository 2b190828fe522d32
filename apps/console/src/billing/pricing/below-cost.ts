import {
  charge,
  conditionCount,
  type Meter,
  METERS,
  newestEffective,
  type Price,
  RATE_DIGITS,
} from '@inference/metering';
import { EVERY_MODEL } from '@inference/serving';
import { type ModelPriceRow } from './price-lists.repository';
import { type BelowCostResponse } from './price-responses';
import { type ServedCosts } from './cost-prices.repository';

const NO_CONVERSION = 10n ** BigInt(RATE_DIGITS);
/** A minute of audio, so that no rate is rounded. */
const COUNT = 60;

/** What so much of one meter costs without conditions; undefined without a price. */
function lineOf(prices: readonly Price[], meter: Meter) {
  const counts = { request: 0, [meter]: COUNT };
  return charge(prices, { counts, serviceTier: null }, NO_CONVERSION).lines.find(
    (line) => line.meter === meter && line.quantity > 0n,
  );
}

const plainAt = <P extends Price>(prices: readonly P[], at: Date): P[] =>
  newestEffective(prices, at).filter((price) => conditionCount(price) === 0);

/** What the upstreams that serve a model take for it. A row of the model counts before that of every model. */
function costsFor(slug: string, served: readonly ServedCosts[]) {
  const upstreams = new Map<string, ServedCosts>();
  for (const row of served) {
    if (row.model === slug || (row.model === EVERY_MODEL && !upstreams.has(row.upstream)))
      upstreams.set(row.upstream, row);
  }
  return [...upstreams.values()].map(({ upstream, upstreamName, prices }) => ({
    upstream,
    prices: prices.filter((price) => price.slug === (upstreamName ?? slug)),
  }));
}

/**
 * Names the prices of models that are below what an active upstream takes, now or from one of their own starts on. Prices with conditions
 * are not compared.
 */
export function pricesBelowCost(
  models: readonly ModelPriceRow[],
  served: readonly ServedCosts[],
  now: Date,
): BelowCostResponse[] {
  const bySlug = new Map<string, ModelPriceRow[]>();
  for (const row of models) bySlug.set(row.slug, [...(bySlug.get(row.slug) ?? []), row]);
  /** One for each price and upstream: meters without a price of their own have that of their parent, which comes first. */
  const found = new Map<string, BelowCostResponse>();
  for (const [slug, prices] of bySlug) {
    const costs = costsFor(slug, served);
    const starts = [...prices, ...costs.flatMap((cost) => cost.prices)].flatMap(({ effectiveFrom }) =>
      effectiveFrom && effectiveFrom > now ? effectiveFrom : [],
    );
    for (const at of [now, ...starts]) {
      const sold = plainAt(prices, at);
      for (const { upstream, prices: taken } of costs) {
        const paid = plainAt(taken, at);
        for (const meter of METERS) {
          const price = lineOf(sold, meter);
          const cost = lineOf(paid, meter);
          if (!price || !cost || price.costPicos >= cost.costPicos) continue;
          const key = `${slug} ${price.unit} ${upstream}`;
          if (!found.has(key)) found.set(key, { slug, unit: price.unit, upstream, meter });
        }
      }
    }
  }
  return [...found.values()];
}

export const belowCostWarnings = (found: readonly BelowCostResponse[]): string[] =>
  found.map(
    ({ slug, unit, upstream, meter }) => `${slug} ${unit}: is below what ${upstream} takes for ${meter}`,
  );
