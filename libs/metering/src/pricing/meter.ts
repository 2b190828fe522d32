/**
 * What is counted of a call, in disjoint counts: a token read from the cache is in `cached_input` and not in `input`. Tokens, except of the
 * last five (design: meters).
 */
export const METERS = [
  'input',
  'cached_input',
  'cache_write',
  'cache_write_1h',
  'input_audio',
  'output',
  'reasoning',
  'output_audio',
  'request',
  'image',
  'audio_second',
  'character',
  'search',
] as const;
export type Meter = (typeof METERS)[number];

/** The meter at whose price a count is charged that has no price of its own. */
export const PARENTS: Partial<Record<Meter, Meter>> = {
  cached_input: 'input',
  cache_write: 'input',
  cache_write_1h: 'cache_write',
  input_audio: 'input',
  reasoning: 'output',
  output_audio: 'output',
};

/** Disjoint counts of one call, whole numbers from 0. A meter that is missing counted nothing. */
export type MeterCounts = Readonly<Partial<Record<Meter, number>>>;

/** What an upstream reported of one call. */
export interface MeteredUsage {
  counts: MeterCounts;
  /** As the upstream names it: `batch`, `flex`, `priority`. Null: the usual one. */
  serviceTier: string | null;
}

/** The meter and what it is a part of, nearest first. */
export function lineageOf(meter: Meter): Meter[] {
  const parent = PARENTS[meter];
  return parent ? [meter, ...lineageOf(parent)] : [meter];
}

/** All meters of the prompt. */
export const INPUT_METERS: readonly Meter[] = METERS.filter((meter) => lineageOf(meter).includes('input'));
/** All meters of the answer. */
export const OUTPUT_METERS: readonly Meter[] = METERS.filter((meter) => lineageOf(meter).includes('output'));

function sumOf(meters: readonly Meter[], counts: MeterCounts): number {
  let sum = 0;
  for (const meter of meters) sum += counts[meter] ?? 0;
  return sum;
}

/** All tokens of the prompt, cached ones included. */
export const inputTokensOf = (counts: MeterCounts): number => sumOf(INPUT_METERS, counts);

/** All tokens of the answer, reasoning included. */
export const outputTokensOf = (counts: MeterCounts): number => sumOf(OUTPUT_METERS, counts);
