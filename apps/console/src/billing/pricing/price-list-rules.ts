import {
  conditionCount,
  conditionsKey,
  minutesOf,
  newestEffective,
  startOf,
  type Price,
  type PriceUnit,
} from '@inference/metering';
import { ambiguousPrices } from './price-ties';

export const MAX_ROWS = 5_000;
export const TOO_MANY_ROWS = `must have at most ${MAX_ROWS} rows`;
/** A price of a list. */
export type PricedModel = Omit<Price, 'position'> & { slug: string };

/** A row of a list, and why it cannot be in it. */
export interface RowFault {
  index: number;
  field: string;
  message: string;
}

/** Finds rows with the key of an earlier row. */
function repeated<Row>(rows: readonly Row[], keyOf: (row: Row) => string): { row: Row; index: number }[] {
  const seen = new Set<string>();
  return rows.flatMap((row, index) => {
    const key = keyOf(row);
    if (seen.has(key)) return [{ row, index }];
    seen.add(key);
    return [];
  });
}

/** Identifies a price within its list. */
export const priceKey = (price: Omit<PricedModel, 'ratePicos'>): string =>
  `${price.slug} ${price.unit} ${conditionsKey(price)} ${price.effectiveFrom?.getTime() ?? ''}`;

/** Finds rows for what an earlier row is the price of, and windows without an end. */
export const repeatedPrices = (rows: readonly Omit<PricedModel, 'ratePicos'>[]): RowFault[] => [
  ...repeated(rows, priceKey).map(({ row, index }) => {
    const same = conditionCount(row) > 0 || row.effectiveFrom ? ' with the same conditions' : '';
    return { index, field: 'unit', message: `${row.slug} has more than one price ${row.unit}${same}` };
  }),
  ...rows.flatMap(({ hours }, index) => {
    if (!hours) return [];
    const { from, to } = minutesOf(hours);
    return from === to ? [{ index, field: 'hours', message: 'must end at another time than it begins' }] : [];
  }),
];

/** Finds rows with the name of an earlier row. */
export const repeatedNames = (rows: readonly { name: string }[]): RowFault[] =>
  repeated(rows, ({ name }) => name).map(({ index }) => {
    return { index, field: 'name', message: 'is there more than once' };
  });

/** A price with its row. */
export type IndexedPrice = PricedModel & { index: number };

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

/** The price that an upcoming one of a list replaces when it becomes effective; undefined if there is none. */
export function priceBefore<Row extends PricedModel>(row: Row, list: readonly Row[]): Row | undefined {
  if (!row.effectiveFrom) return undefined;
  const earlier = list.filter(
    (other) =>
      other.slug === row.slug &&
      other.unit === row.unit &&
      startOf(other) < startOf(row) &&
      conditionsKey(other) === conditionsKey(row),
  );
  return earlier.toSorted((one, other) => startOf(one) - startOf(other)).at(-1);
}

/**
 * The list as it stands at an instant: prices that were replaced by then are gone, and those that replaced them hold like any other.
 * What becomes effective later stays as it is.
 */
export function listAt<Row extends PricedModel>(rows: readonly Row[], at: Date): Row[] {
  const bySlug = new Map<string, Row[]>();
  for (const row of rows) {
    const ofModel = bySlug.get(row.slug);
    if (ofModel) ofModel.push(row);
    else bySlug.set(row.slug, [row]);
  }
  const effective = new Set([...bySlug.values()].flatMap((prices) => newestEffective(prices, at)));
  return rows.flatMap((row) => {
    if (startOf(row) > at.getTime()) return [row];
    return effective.has(row) ? [row.effectiveFrom ? { ...row, effectiveFrom: null } : row] : [];
  });
}
