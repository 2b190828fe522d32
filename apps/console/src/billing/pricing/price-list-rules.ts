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
  message: string;
}

/** Finds rows with the slug and unit of an earlier row. */
export function repeatedUnits(rows: readonly UnitPrice[]): RowFault[] {
  const seen = new Set<string>();
  return rows.flatMap(({ slug, unit }, index) => {
    const key = `${slug} ${unit}`;
    if (seen.has(key)) return [{ index, message: `${slug} has more than one price ${unit}` }];
    seen.add(key);
    return [];
  });
}

/** Finds prices for all tokens of models whose input or output is priced separately. */
export function overlappingUnits(rows: readonly UnitPrice[]): RowFault[] {
  const bySide = new Set(rows.filter(({ unit }) => PRICED_BY_SIDE.includes(unit)).map(({ slug }) => slug));
  const message = 'is priced per_million_tokens and also by input or output tokens';
  return rows.flatMap(({ slug, unit }, index) =>
    unit === 'per_million_tokens' && bySide.has(slug) ? [{ index, message: `${slug} ${message}` }] : [],
  );
}
