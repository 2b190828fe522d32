/** The units in which models are priced (spec: models[].unit). */
export const PRICE_UNITS = [
  'per_million_tokens',
  'per_million_input_tokens',
  'per_million_output_tokens',
  'per_request',
] as const;
export type PriceUnit = (typeof PRICE_UNITS)[number];

/** The price of one unit. */
export interface UnitRate {
  unit: PriceUnit;
  /** Picos for one token or request. */
  ratePicos: bigint;
}

/** Decimal places between a counted token or request and the unit that the price names. */
export const UNIT_DIGITS: Record<PriceUnit, number> = {
  per_million_tokens: 6,
  per_million_input_tokens: 6,
  per_million_output_tokens: 6,
  per_request: 0,
};

/** The units whose price covers the tokens of an answer. */
const OUTPUT_UNITS: PriceUnit[] = ['per_million_tokens', 'per_million_output_tokens'];

/**
 * Whether the rates say what an answer costs, be it nothing: a model that is priced by the token needs a rate of its output
 * tokens, and one that is priced by the request alone needs none.
 */
export function pricesOutput(rates: readonly UnitRate[]): boolean {
  const units = rates.map(({ unit }) => unit);
  return units.every((unit) => unit === 'per_request') || units.some((unit) => OUTPUT_UNITS.includes(unit));
}
