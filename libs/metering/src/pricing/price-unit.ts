import { PICO_DIGITS, scaledToDecimal } from '@inference/money';
import { type Meter } from './meter';

/** The units in which models are priced (spec: models[].unit). */
export const PRICE_UNITS = [
  'per_million_tokens',
  'per_million_input_tokens',
  'per_million_cached_input_tokens',
  'per_million_cache_write_tokens',
  'per_million_cache_write_1h_tokens',
  'per_million_output_tokens',
  'per_million_reasoning_tokens',
  'per_million_audio_input_tokens',
  'per_million_audio_output_tokens',
  'per_million_characters',
  'per_request',
  'per_image',
  'per_audio_minute',
  'per_search',
] as const;
export type PriceUnit = (typeof PRICE_UNITS)[number];

/** The units that versions up to 0.2.0 know. */
export const FORMER_PRICE_UNITS: readonly PriceUnit[] = [
  'per_million_tokens',
  'per_million_input_tokens',
  'per_million_output_tokens',
  'per_request',
];

/** The units that price a meter, the one that is meant for it alone first. */
export const UNITS_OF_METER: Record<Meter, readonly PriceUnit[]> = {
  input: ['per_million_input_tokens', 'per_million_tokens'],
  cached_input: ['per_million_cached_input_tokens'],
  cache_write: ['per_million_cache_write_tokens'],
  cache_write_1h: ['per_million_cache_write_1h_tokens'],
  input_audio: ['per_million_audio_input_tokens'],
  output: ['per_million_output_tokens', 'per_million_tokens'],
  reasoning: ['per_million_reasoning_tokens'],
  output_audio: ['per_million_audio_output_tokens'],
  request: ['per_request'],
  image: ['per_image'],
  audio_second: ['per_audio_minute'],
  character: ['per_million_characters'],
  search: ['per_search'],
};

/**
 * How many counted things a rate is for. Rates of a million are kept for one of it, since their prices have so few decimals that this is
 * whole picos. A minute is kept whole: the price of its second may be no whole number of picos.
 */
export const countsOfRate = (unit: PriceUnit): bigint => (unit === 'per_audio_minute' ? 60n : 1n);

/** Decimal places between the thing that a rate is for and the unit that the price names. */
export const UNIT_DIGITS = Object.fromEntries(
  PRICE_UNITS.map((unit) => [unit, unit.startsWith('per_million_') ? 6 : 0]),
) as Record<PriceUnit, number>;

/** What `quantity` counted things cost at a rate: exact, or rounded up to a whole pico. */
export function costOf(unit: PriceUnit, quantity: bigint, ratePicos: bigint): bigint {
  const counts = countsOfRate(unit);
  return counts === 1n ? quantity * ratePicos : (quantity * ratePicos + counts - 1n) / counts;
}

/** Counted things as a decimal of the unit: 1,234 tokens are 0.001234 million. Seconds are minutes to twelve decimals. */
export function quantityIn(unit: PriceUnit, quantity: bigint): string {
  const counts = countsOfRate(unit);
  if (counts === 1n) return scaledToDecimal(quantity, UNIT_DIGITS[unit]);
  return scaledToDecimal((quantity * 10n ** BigInt(PICO_DIGITS) + counts / 2n) / counts, PICO_DIGITS);
}
