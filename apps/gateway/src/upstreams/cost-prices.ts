import {
  charge,
  hasPriceOf,
  type MeteredUsage,
  METERS,
  type Price,
  pricesAt,
  RATE_DIGITS,
} from '@inference/metering';
import { type DirectoryUpstream } from '@inference/serving';

/** Costs are in the currency of the site only. */
const NO_CONVERSION = 10n ** BigInt(RATE_DIGITS);
/** Daily windows begin and end with a minute. */
const MINUTE_MILLIS = 60_000;

/** The cost prices of one call: those that held when its upstream was called. */
export interface CallCostPrices {
  listId: string;
  prices: readonly Price[];
}

/** What an upstream takes for one call. */
export interface UpstreamCost {
  upstream: string;
  /** The list of cost prices. */
  list: string;
  /** Whether its answer was served; false for an attempt that failed after the upstream had reported its usage. */
  served: boolean;
  costPicos: bigint;
}

/** What is known of the cost of a call before its usage is. */
export interface CallCosting {
  /** Null: the upstream that serves has no cost price for the model. */
  prices: CallCostPrices | null;
  /** Failed attempts that cost something. */
  failed: readonly UpstreamCost[];
}

interface Held {
  from: number;
  until: number;
  call: CallCostPrices | null;
}

/** The newest cost prices of an upstream. */
export class CostPrices {
  private readonly models = new Map<string, Price[]>();
  private readonly held = new Map<string, Held>();

  constructor(
    readonly list: NonNullable<DirectoryUpstream['costPrices']>,
    private readonly timeZone: string,
  ) {
    for (const [index, { model, ratePicos, effectiveFrom, ...price }] of list.prices.entries()) {
      const prices = this.models.get(model) ?? [];
      this.models.set(model, prices);
      prices.push({
        ...price,
        ratePicos: BigInt(ratePicos),
        effectiveFrom: effectiveFrom === null ? null : new Date(effectiveFrom),
        position: index + 1,
      });
    }
  }

  /** The prices of a call that begins at this instant; null if the model has none. @param model the upstream's own name */
  at(model: string, millis: number): CallCostPrices | null {
    const prices = this.models.get(model);
    if (!prices) return null;
    const known = this.held.get(model);
    if (known && known.from <= millis && millis < known.until) return known.call;
    const held = pricesAt(prices, new Date(millis), this.timeZone);
    const starts = prices.map(({ effectiveFrom }) => effectiveFrom?.getTime() ?? -Infinity);
    const nextMinute = prices.some(({ hours }) => hours)
      ? (Math.floor(millis / MINUTE_MILLIS) + 1) * MINUTE_MILLIS
      : Infinity;
    const call = held.length > 0 ? { listId: this.list.id, prices: held } : null;
    const until = Math.min(nextMinute, ...starts.filter((start) => start > millis));
    this.held.set(model, { from: millis, until, call });
    return call;
  }
}

/** What an upstream takes for a usage; null if one of the counts has no price: then the cost is not known. */
export function upstreamCost(
  upstream: string,
  { listId, prices }: CallCostPrices,
  usage: MeteredUsage,
  served: boolean,
): UpstreamCost | null {
  const { lines, costPicos } = charge(prices, usage, NO_CONVERSION);
  const isPriced = METERS.every(
    (meter) => meter === 'request' || !usage.counts[meter] || lines.some((line) => line.meter === meter),
  );
  // A price of the request is that of all that it uses.
  if (!isPriced && !hasPriceOf(prices, ['per_request'])) return null;
  return { upstream, list: listId, served, costPicos };
}

/** The costs of a call as its event has them. */
export function costsOf(
  upstream: string,
  { prices, failed }: CallCosting,
  usage: MeteredUsage,
): UpstreamCost[] {
  const own = prices && upstreamCost(upstream, prices, usage, true);
  return own ? [...failed, own] : [...failed];
}
