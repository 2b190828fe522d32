import { inputTokensOf, type Meter, type MeteredUsage, outputTokensOf } from './meter';
import { type PriceUnit, type UnitRate } from './price-unit';

/** Tokens of one request. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

/** The cost of one priced unit of a request. */
export interface ChargeLine {
  meter: Meter;
  unit: PriceUnit;
  /** Number of tokens or requests, depending on the unit. */
  quantity: bigint;
  /** Tokens reported on this line: each token of the request is on exactly one line. */
  tokens: bigint;
  /** Picos for one of the quantity. */
  ratePicos: bigint;
  costPicos: bigint;
  costUsdPicos: bigint;
}

/** The cost of one request in picos of the site's currency and of USD. */
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

const METER_OF: Record<PriceUnit, Meter> = {
  per_million_tokens: 'input',
  per_million_input_tokens: 'input',
  per_million_output_tokens: 'output',
  per_request: 'request',
};

function quantityOf(unit: PriceUnit, input: bigint, output: bigint): bigint {
  switch (unit) {
    case 'per_million_tokens':
      return input + output;
    case 'per_million_input_tokens':
      return input;
    case 'per_million_output_tokens':
      return output;
    case 'per_request':
      return 1n;
  }
}

/**
 * Returns the cost of one request: one line per priced unit, each quantity × rate, exact to the pico.
 * @param usdPerUnit USD for one unit of the site's currency × 10^10
 */
export function charge(
  rates: readonly UnitRate[],
  usage: MeteredUsage | TokenUsage,
  usdPerUnit: bigint,
): Charge {
  const input = BigInt('counts' in usage ? inputTokensOf(usage.counts) : usage.inputTokens);
  const output = BigInt('counts' in usage ? outputTokensOf(usage.counts) : usage.outputTokens);
  const lines = rates.map(({ unit, ratePicos }): ChargeLine => {
    const quantity = quantityOf(unit, input, output);
    const costPicos = quantity * ratePicos;
    const tokens = unit === 'per_request' ? 0n : quantity;
    const costUsdPicos = toUsd(costPicos, usdPerUnit);
    return { meter: METER_OF[unit], unit, quantity, tokens, ratePicos, costPicos, costUsdPicos };
  });
  // Tokens without a price are reported on the first line. A model that is charged per request, or only for its input, has such tokens.
  const [first] = lines;
  if (first) first.tokens += input + output - lines.reduce((sum, { tokens }) => sum + tokens, 0n);
  return {
    costPicos: lines.reduce((sum, line) => sum + line.costPicos, 0n),
    costUsdPicos: lines.reduce((sum, line) => sum + line.costUsdPicos, 0n),
    lines,
  };
}

/** Returns the highest cost, in picos, of a request with these bounds. */
export function worstCasePicos(rates: readonly UnitRate[], bounds: TokenUsage): bigint {
  return charge(rates, bounds, RATE_SCALE).costPicos;
}
