import {
  conditionCount,
  conditionsKey,
  type DailyWindow,
  holdsFor,
  isWithin,
  minutesOf,
  newestEffective,
  precedence,
  type PriceUnit,
  startOf,
} from '@inference/metering';
import { type IndexedPrice, type PricedModel, type RowFault } from './price-list-rules';

/** Finds the prices of a whole list that leave open what a call costs. */
export function listFaults(rows: readonly PricedModel[]): RowFault[] {
  const models = new Map<string, Map<PriceUnit, IndexedPrice[]>>();
  for (const [index, row] of rows.entries()) {
    const units = models.get(row.slug) ?? new Map<PriceUnit, IndexedPrice[]>();
    models.set(row.slug, units);
    const prices = units.get(row.unit);
    if (prices) prices.push({ ...row, index });
    else units.set(row.unit, [{ ...row, index }]);
  }
  return [...models.values()].flatMap((units) => [
    ...overlappingUnits(units),
    ...[...units].flatMap(([unit, prices]) => missingPrices(unit, prices, units)),
    ...[...units.values()].flatMap(ambiguousPrices),
  ]);
}

/** Units that price input and output separately. */
const PRICED_BY_SIDE: PriceUnit[] = ['per_million_input_tokens', 'per_million_output_tokens'];

/** Finds prices for all tokens of a model whose input or output is priced separately. */
function overlappingUnits(units: ReadonlyMap<PriceUnit, IndexedPrice[]>): RowFault[] {
  if (!PRICED_BY_SIDE.some((unit) => units.has(unit))) return [];
  return (units.get('per_million_tokens') ?? []).map(({ index, slug }) => {
    const message = `${slug} is priced per_million_tokens and also by input or output tokens`;
    return { index, field: 'unit', message };
  });
}

const INPUT: PriceUnit[] = ['per_million_input_tokens', 'per_million_tokens'];
const OUTPUT: PriceUnit[] = ['per_million_output_tokens', 'per_million_tokens'];
/** The units of which one has to be priced beside a unit: otherwise most of what that is a part of would cost nothing. */
const PART_OF: Partial<Record<PriceUnit, PriceUnit[]>> = {
  per_million_cached_input_tokens: INPUT,
  per_million_cache_write_tokens: INPUT,
  per_million_cache_write_1h_tokens: INPUT,
  per_million_audio_input_tokens: INPUT,
  per_million_reasoning_tokens: OUTPUT,
  per_million_audio_output_tokens: OUTPUT,
};

/** Finds prices that hold at a time at which what they are an exception of has no price. */
function missingPrices(
  unit: PriceUnit,
  prices: IndexedPrice[],
  units: ReadonlyMap<PriceUnit, IndexedPrice[]>,
): RowFault[] {
  const plainFrom = (others: readonly IndexedPrice[]) =>
    Math.min(Infinity, ...others.filter((price) => conditionCount(price) === 0).map(startOf));
  const ownFrom = plainFrom(prices);
  const whole = PART_OF[unit];
  const wholeFrom = whole && Math.min(...whole.map((one) => plainFrom(units.get(one) ?? [])));
  return prices.flatMap((price): RowFault[] => {
    const { index, slug } = price;
    if (conditionCount(price) > 0 && startOf(price) < ownFrom)
      return [
        { index, field: 'unit', message: `${slug} has no price ${unit} without conditions at that time` },
      ];
    if (wholeFrom !== undefined && startOf(price) < wholeFrom)
      return [{ index, field: 'unit', message: `${slug} is priced ${unit} but not ${whole![0]}` }];
    return [];
  });
}

/**
 * Prices of one unit of a model, conditional and upcoming ones among them. Chosen: three context tiers of four service tiers, by day and by
 * night, are 24. Sets of them are bits of a number, which has room for 31.
 */
const MAX_PRICES_OF_UNIT = 24;

/** Conditions, and since when some price has them: one with the same conditions replaces it, so that they stay. */
interface Conditions {
  price: IndexedPrice;
  key: string;
  start: number;
  window: DailyWindow | undefined;
}

/** Finds two prices of a unit that both hold for some call while none that goes before one of them does. */
export function ambiguousPrices(prices: IndexedPrice[]): RowFault[] {
  if (prices.length > MAX_PRICES_OF_UNIT) {
    const { index, slug, unit } = prices[MAX_PRICES_OF_UNIT]!;
    return [{ index, field: 'unit', message: `${slug} has more than ${MAX_PRICES_OF_UNIT} prices ${unit}` }];
  }
  const tie = tieAmong(prices.filter((price) => conditionCount(price) > 0));
  if (!tie) return [];
  const [{ slug, unit }, { index }] = tie;
  const both = tie.map(shown).join(' and of ');
  const message = `${slug} has prices ${unit} of ${both} that can hold for the same call: add one with the conditions of both`;
  return [{ index, field: 'unit', message }];
}

/**
 * Two that nothing decides between, the earlier row first. Of all calls for which two hold, the fewest others hold for those that begin as
 * soon as both are effective, with as little input as both allow and no further service tier; only their minute of the day is free.
 */
function tieAmong(prices: IndexedPrice[]): [IndexedPrice, IndexedPrice] | undefined {
  const all = conditionsOf(prices);
  const before = all.map(({ price }) => bitsOf(all, (other) => precedence(other.price, price) > 0));
  const minutes = new Set(all.flatMap(({ window }) => (window ? [window.from, window.to] : [])));
  // What holds changes at the ends of windows, so that these minutes stand for all.
  const heldAt = (minutes.size > 0 ? [...minutes] : [0]).map((minute) =>
    bitsOf(all, ({ window }) => !window || isWithin(window, minute)),
  );
  for (const [second, other] of all.entries()) {
    for (const [first, one] of all.slice(0, second).entries()) {
      if (!isUndecided(one.price, other.price)) continue;
      const start = Math.max(one.start, other.start);
      const call = {
        inputTokens: Math.max(one.price.minInputTokens ?? 0, other.price.minInputTokens ?? 0),
        serviceTier: one.price.serviceTier ?? other.price.serviceTier ?? null,
      };
      const deciding =
        (before[first]! | before[second]!) &
        bitsOf(all, (third) => third.start <= start && holdsFor(third.price, call));
      const pair = (1 << first) | (1 << second);
      if (!heldAt.some((held) => (held & pair) === pair && (held & deciding) === 0)) continue;
      const effective = newestEffective(prices, new Date(Math.max(start, EARLIEST_MILLIS)));
      const [earlier, later] = effective.filter((price) =>
        [one.key, other.key].includes(conditionsKey(price)),
      );
      return [earlier!, later!];
    }
  }
  return undefined;
}

/** Before all times that a price can name. */
const EARLIEST_MILLIS = -8.64e15;

function conditionsOf(prices: IndexedPrice[]): Conditions[] {
  const byKey = new Map<string, Conditions>();
  for (const price of prices) {
    const key = conditionsKey(price);
    const known = byKey.get(key);
    const start = Math.min(startOf(price), known?.start ?? Infinity);
    const window = price.hours ? minutesOf(price.hours) : undefined;
    byKey.set(key, { price, key, start, window });
  }
  return [...byKey.values()];
}

/** The places of those that something is true of. */
const bitsOf = (all: Conditions[], isTrue: (one: Conditions) => boolean): number =>
  all.reduce((bits, one, place) => (isTrue(one) ? bits | (1 << place) : bits), 0);

/** Whether both may hold for some call, and neither has more conditions nor a higher context tier. */
const isUndecided = (one: PricedModel, other: PricedModel): boolean =>
  (!one.serviceTier || !other.serviceTier || one.serviceTier === other.serviceTier) &&
  precedence(one, other) === 0;

/** Names the conditions for a message. */
function shown({ minInputTokens, serviceTier, hours }: PricedModel): string {
  const parts = [
    ...(minInputTokens ? [`min_input_tokens ${minInputTokens}`] : []),
    ...(serviceTier ? [`service_tier ${serviceTier}`] : []),
    ...(hours ? [`hours ${hours}`] : []),
  ];
  return parts.join(', ');
}
