import {
  INPUT_METERS,
  inputTokensOf,
  lineageOf,
  type Meter,
  type MeterCounts,
  type MeteredUsage,
  METERS,
  OUTPUT_METERS,
} from './meter';
import { holdsFor, precedence, type Price } from './price';
import { costOf, type PriceUnit, UNITS_OF_METER } from './price-unit';

/** Tokens of one request. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

/** Tokens as counts of their two roots, for a call of which no more is known. */
export const countsOf = ({ inputTokens, outputTokens }: TokenUsage): MeteredUsage => ({
  counts: { input: inputTokens, output: outputTokens },
  serviceTier: null,
});

/** The conditions of a price as a line keeps them; those that it has. */
export interface LineConditions {
  min_input_tokens?: number;
  service_tier?: string;
  hours?: string;
  effective_from?: string;
}

/** What one meter of a call costs. */
export interface ChargeLine {
  meter: Meter;
  /** Of the price that charged it, which may be that of a parent. */
  unit: PriceUnit;
  /** What was counted: tokens, characters, seconds and others. */
  quantity: bigint;
  /** Tokens reported on this line: each token of the call is on exactly one line. */
  tokens: bigint;
  ratePicos: bigint;
  /** Null for a price without any. */
  conditions: LineConditions | null;
  /** Place of the price in the list of the call; null if not known. */
  price: number | null;
  costPicos: bigint;
  costUsdPicos: bigint;
}

/** The cost of one call in picos of the site's currency and of USD. */
export interface Charge {
  costPicos: bigint;
  costUsdPicos: bigint;
  lines: ChargeLine[];
}

/** Exchange rates have ten decimals: `usdPerUnit` is the rate × 10^10. */
export const RATE_DIGITS = 10;
const RATE_SCALE = 10n ** BigInt(RATE_DIGITS);

/** Converts to USD, rounded half up. Exact on the USD site, whose rate is one. */
function toUsd(picos: bigint, usdPerUnit: bigint): bigint {
  return (picos * usdPerUnit + RATE_SCALE / 2n) / RATE_SCALE;
}

const TOKEN_METERS = new Set<Meter>([...INPUT_METERS, ...OUTPUT_METERS]);
/** What is counted beside tokens and requests. */
const OTHER_METERS = ['image', 'audio_second', 'character', 'search'] as const satisfies Meter[];

/** The prices of a model by what they price. */
interface PriceIndex {
  /** For each meter those of its own units and of its parents', unit by unit, nearest first. */
  byMeter: Record<Meter, Price[][]>;
  input: Price[];
  output: Price[];
}

/** Most calls find their model's prices in the same array, which the price book makes once for all. */
const indexes = new WeakMap<readonly Price[], PriceIndex>();

function indexOf(prices: readonly Price[]): PriceIndex {
  const known = indexes.get(prices);
  if (known) return known;
  const ofUnit = (unit: PriceUnit) => prices.filter((price) => price.unit === unit);
  const ofMeter = (meter: Meter) =>
    lineageOf(meter)
      .flatMap((one) => UNITS_OF_METER[one].map(ofUnit))
      .filter(({ length }) => length > 0);
  const under = (meters: readonly Meter[]) =>
    prices.filter(({ unit }) => meters.some((meter) => UNITS_OF_METER[meter].includes(unit)));
  const byMeter = Object.fromEntries(METERS.map((meter) => [meter, ofMeter(meter)])) as Record<
    Meter,
    Price[][]
  >;
  const index = { byMeter, input: under(INPUT_METERS), output: under(OUTPUT_METERS) };
  indexes.set(prices, index);
  return index;
}

/** What decides which of the prices of a unit is charged. */
interface CallFacts {
  inputTokens: number;
  serviceTier: string | null;
}

/** The price of a meter for a call, or else of its nearest parent that has one. */
function priceOf({ byMeter }: PriceIndex, meter: Meter, call: CallFacts): Price | undefined {
  for (const prices of byMeter[meter]) {
    let best: Price | undefined;
    for (const price of prices) {
      if (holdsFor(price, call) && (!best || precedence(price, best) > 0)) best = price;
    }
    if (best) return best;
  }
  return undefined;
}

function conditionsOf(price: Price): LineConditions | null {
  const { minInputTokens, serviceTier, hours, effectiveFrom } = price;
  if (!minInputTokens && !serviceTier && !hours && !effectiveFrom) return null;
  return {
    ...(minInputTokens && { min_input_tokens: minInputTokens }),
    ...(serviceTier && { service_tier: serviceTier }),
    ...(hours && { hours }),
    ...(effectiveFrom && { effective_from: effectiveFrom.toISOString() }),
  };
}

function lineOf(meter: Meter, price: Price, quantity: bigint, usdPerUnit: bigint): ChargeLine {
  const { unit, ratePicos } = price;
  const costPicos = costOf(unit, quantity, ratePicos);
  return {
    meter,
    unit,
    quantity,
    tokens: TOKEN_METERS.has(meter) ? quantity : 0n,
    ratePicos,
    conditions: conditionsOf(price),
    price: price.position ?? null,
    costPicos,
    costUsdPicos: toUsd(costPicos, usdPerUnit),
  };
}

/**
 * Returns the cost of one call: one line for each meter that counted something and for the request, if they have a price, each quantity ×
 * rate, exact to the pico. There is at least one line.
 *
 * @param prices those of the model that hold at the beginning of the call (`pricesAt`)
 * @param usdPerUnit USD for one unit of the site's currency × 10^10
 */
export function charge(prices: readonly Price[], usage: MeteredUsage, usdPerUnit: bigint): Charge {
  const { counts, serviceTier } = usage;
  const index = indexOf(prices);
  const call = { inputTokens: inputTokensOf(counts), serviceTier };
  const lines: ChargeLine[] = [];
  let unpricedTokens = 0;
  for (const meter of METERS) {
    const count = countOf(counts, meter);
    if (count === 0) continue;
    const price = priceOf(index, meter, call);
    if (price) lines.push(lineOf(meter, price, BigInt(count), usdPerUnit));
    else if (TOKEN_METERS.has(meter)) unpricedTokens += count;
  }
  // The log of calls and the rollup know a call by its first line.
  if (lines.length === 0 && prices.length > 0) lines.push(emptyLine(prices, call, usdPerUnit));
  // Tokens without a price are reported on the first line. A model that is charged per request, or only for its input, has such tokens.
  const [first] = lines;
  if (first) first.tokens += BigInt(unpricedTokens);
  let costPicos = 0n;
  let costUsdPicos = 0n;
  for (const line of lines) {
    costPicos += line.costPicos;
    costUsdPicos += line.costUsdPicos;
  }
  return { costPicos, costUsdPicos, lines };
}

/** Each call is one request. */
const countOf = (counts: MeterCounts, meter: Meter): number => counts[meter] ?? (meter === 'request' ? 1 : 0);

/** The line of a call that used nothing that has a price. */
function emptyLine(prices: readonly Price[], call: CallFacts, usdPerUnit: bigint): ChargeLine {
  const index = indexOf(prices);
  for (const meter of METERS) {
    const price = priceOf(index, meter, call);
    if (price) return lineOf(meter, price, 0n, usdPerUnit);
  }
  return lineOf('request', prices[0]!, 0n, usdPerUnit);
}

/** The most that a call may use. What is absent is not counted, except for the one request. */
export interface UsageBounds extends TokenUsage {
  /** The most tokens of the prompt and one of the answers together; undefined if only each by itself is bounded. */
  context?: { tokens: number; answers: number } | undefined;
  counts?: Readonly<Partial<Record<(typeof OTHER_METERS)[number] | 'request', number>>> | undefined;
}

/**
 * Returns the highest cost, in picos, of a call within these bounds, however its tokens are split and whichever tier serves it.
 *
 * @param prices those of the model that hold at the beginning of the call (`pricesAt`)
 */
export function worstCasePicos(prices: readonly Price[], bounds: UsageBounds): bigint {
  const { inputTokens, counts } = bounds;
  const { byMeter, input, output } = indexOf(prices);
  let worst = 0n;
  for (const [inputs, outputs] of extremesOf(bounds)) {
    const cost = dearest(input, inputTokens, inputs) + dearest(output, inputTokens, outputs);
    if (cost > worst) worst = cost;
  }
  const ofMeter = (meter: Meter, count: number) => {
    const [own] = byMeter[meter];
    if (own && count > 0) worst += dearest(own, inputTokens, count);
  };
  ofMeter('request', counts?.request ?? 1);
  if (counts) for (const meter of OTHER_METERS) ofMeter(meter, counts[meter] ?? 0);
  return worst;
}

/** Where a cost that grows with both kinds of tokens is highest: the longest prompt, and the longest answers. */
function extremesOf({ inputTokens, outputTokens, context }: UsageBounds): [input: number, output: number][] {
  if (!context || inputTokens + outputTokens / context.answers <= context.tokens)
    return [[inputTokens, outputTokens]];
  const { tokens, answers } = context;
  const longest = Math.min(outputTokens / answers, tokens);
  const longestInput = Math.min(inputTokens, tokens);
  return [
    [longestInput, (tokens - longestInput) * answers],
    [tokens - longest, longest * answers],
  ];
}

/** What so many counts cost at most, at one of the prices that a call with up to so many input tokens reaches. */
function dearest(prices: readonly Price[], inputTokens: number, count: number): bigint {
  let most = 0n;
  if (count === 0) return most;
  const quantity = BigInt(count);
  for (const { unit, ratePicos, minInputTokens } of prices) {
    if (minInputTokens && minInputTokens > inputTokens) continue;
    const cost = costOf(unit, quantity, ratePicos);
    if (cost > most) most = cost;
  }
  return most;
}
