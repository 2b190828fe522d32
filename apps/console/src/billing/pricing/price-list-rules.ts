import {
  conditionCount,
  conditionsKey,
  minutesOf,
  newestEffective,
  startOf,
  type Price,
} from '@inference/metering';

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
