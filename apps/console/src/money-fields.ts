import { decimalToScaled, InvalidAmountError, PICO_DIGITS } from '@inference/money';
import { z } from 'zod';

/** What every double of so many significant digits keeps exactly; with more, digits may have been lost on the way. */
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
 * Exact value of what a client sent as a JSON number, or as decimal text, in units of 10^-decimals.
 * Throws InvalidAmountError.
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

/** A body field that holds an exact decimal, as a JSON number or (for more than 15 digits) as text. */
export const decimalField = (
  bounds: DecimalBounds,
  accepts: (scaled: bigint) => boolean,
  otherwise: string,
) =>
  z.union([z.number(), z.string()], 'must be a number').transform((value, context): bigint => {
    try {
      const scaled = exactDecimal(value, bounds);
      if (accepts(scaled)) return scaled;
      context.addIssue({ code: 'custom', message: otherwise });
    } catch (error) {
      if (!(error instanceof InvalidAmountError)) throw error;
      context.addIssue({ code: 'custom', message: error.message });
    }
    return z.NEVER;
  });

/** Money in picos; a trillion is more than any wallet holds. */
export const MONEY_BOUNDS: DecimalBounds = { decimals: PICO_DIGITS, max: 1_000_000_000_000 };
