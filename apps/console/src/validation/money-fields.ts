import { decimalToScaled, InvalidAmountError, PICO_DIGITS } from '@inference/money';

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

/** Whether an amount within the bounds may have more digits than a JSON number keeps. */
export const needsText = ({ decimals, max }: DecimalBounds): boolean =>
  String(max).length + decimals > EXACT_DIGITS;

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

/** Money in picos. A trillion is above any wallet's balance. */
export const MONEY_BOUNDS: DecimalBounds = { decimals: PICO_DIGITS, max: 1_000_000_000_000 };
