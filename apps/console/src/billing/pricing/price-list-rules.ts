import { type PriceUnit } from '@inference/metering';

export const MAX_ROWS = 5_000;
export const TOO_MANY_ROWS = `must have at most ${MAX_ROWS} rows`;

/** Units that price input and output separately. */
const PRICED_BY_SIDE: PriceUnit[] = ['per_million_input_tokens', 'per_million_output_tokens'];

interface UnitPrice {
  slug: string;
  unit: PriceUnit;
}

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

/** Finds rows with the slug and unit of an earlier row. */
export const repeatedUnits = (rows: readonly UnitPrice[]): RowFault[] =>
  repeated(rows, ({ slug, unit }) => `${slug} ${unit}`).map(({ row: { slug, unit }, index }) => {
    return { index, field: 'unit', message: `${slug} has more than one price ${unit}` };
  });

/** Finds rows with the name of an earlier row. */
export const repeatedNames = (rows: readonly { name: string }[]): RowFault[] =>
  repeated(rows, ({ name }) => name).map(({ index }) => {
    return { index, field: 'name', message: 'is there more than once' };
  });

/** Finds prices for all tokens of models whose input or output is priced separately. */
export function overlappingUnits(rows: readonly UnitPrice[]): RowFault[] {
  const bySide = new Set(rows.filter(({ unit }) => PRICED_BY_SIDE.includes(unit)).map(({ slug }) => slug));
  return rows.flatMap(({ slug, unit }, index) =>
    unit === 'per_million_tokens' && bySide.has(slug)
      ? [
          {
            index,
            field: 'unit',
            message: `${slug} is priced per_million_tokens and also by input or output tokens`,
          },
        ]
      : [],
  );
}
