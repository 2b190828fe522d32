import { decimalToScaled, InvalidAmountError, PICO_DIGITS } from '@inference/money';
import { z } from 'zod';

/** A double keeps every decimal of up to 15 significant digits exactly; with more, digits may be lost in JSON parsing. */
const EXACT_DIGITS = 15;

function significantDigits(value: number): number {
  return String(Math.abs(value)).replace(/e.*$/, '').replace('.', '').replace(/^0+/, '').replace(/0+$/, '')
    .length;
}

export interface DecimalBounds {
  decimals: number;
  /** Largest absolute value, in whole units. */
  max: number;
}

/**
 * The exact value of a JSON number or decimal text, in units of 10^-decimals. Throws InvalidAmountError if the value is not
 * exact or out of bounds.
 */
export function exactDecimal(value: number | string, { decimals, max }: DecimalBounds): bigint {
  if (typeof value === 'number' && significantDigits(value) > EXACT_DIGITS) {
    throw new InvalidAmountError(`has more than ${EXACT_DIGITS} significant digits`);
  }
  const scaled = decimalToScaled(value, decimals);
  const limit = BigInt(max) * 10n ** BigInt(decimals);
  if (scaled > limit || scaled < -limit) throw new InvalidAmountError(`must be at most ${max}`);
  return scaled;
}

const toScaled =
  (bounds: DecimalBounds, accepts: (scaled: bigint) => boolean, otherwise: string) =>
  (value: number | string, context: z.RefinementCtx): bigint => {
    try {
      const scaled = exactDecimal(value, bounds);
      if (accepts(scaled)) return scaled;
      context.addIssue({ code: 'custom', message: otherwise });
    } catch (error) {
      if (!(error instanceof InvalidAmountError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
    return z.NEVER;
  };

/** A body field with an exact decimal: a JSON number, or text for more than 15 digits. */
export const decimalField = (...rule: Parameters<typeof toScaled>) =>
  z.union([z.number(), z.string()], 'must be a number').transform(toScaled(...rule));

/** Money in picos. A trillion is above any wallet's balance. */
export const MONEY_BOUNDS: DecimalBounds = { decimals: PICO_DIGITS, max: 1_000_000_000_000 };
