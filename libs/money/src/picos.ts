import { LosslessNumber, parse, stringify } from 'lossless-json';

/**
 * Money is counted in picos: 1e-12 of the site's currency, as BigInt.
 * A price of 0.000001 per million tokens is exactly one pico per token, so every charge is a whole number.
 */
export const PICO_DIGITS = 12;
export const PICOS_PER_UNIT = 10n ** BigInt(PICO_DIGITS);

/** The text is not a decimal number, or it has too many digits. */
export class InvalidAmountError extends Error {}

const DECIMAL = /^(-?)(\d{1,30})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,3}))?$/;

/**
 * Exact value of a decimal text (or of a JSON number, through its shortest text) in units of 10^-digits.
 * Throws InvalidAmountError when it is no finite decimal or has more digits than can be kept.
 */
export function decimalToScaled(value: string | number, digits: number): bigint {
  const match = DECIMAL.exec(String(value));
  if (!match) throw new InvalidAmountError('must be a finite decimal number');
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const shift = digits - fraction.length + Number(exponent);
  const mantissa = BigInt(whole + fraction);
  if (shift >= 0) {
    if (shift > 60) throw new InvalidAmountError('is too large');
    return (sign ? -1n : 1n) * mantissa * 10n ** BigInt(shift);
  }
  const divisor = 10n ** BigInt(-shift);
  if (mantissa % divisor !== 0n) throw new InvalidAmountError(`has more than ${digits} decimals`);
  return (sign ? -1n : 1n) * (mantissa / divisor);
}

/** Returns the picos of a decimal text with at most `maxDecimals` decimals. Throws InvalidAmountError otherwise. */
export function decimalToPicos(value: string | number, maxDecimals = PICO_DIGITS): bigint {
  return decimalToScaled(value, maxDecimals) * 10n ** BigInt(PICO_DIGITS - maxDecimals);
}

const ZERO = 0x30;

/** Returns the shortest decimal text of value × 10^-digits: without exponent and trailing zeros. */
export function scaledToDecimal(value: bigint, digits: number): string {
  const negative = value < 0n;
  const text = (negative ? -value : value).toString().padStart(digits + 1, '0');
  const point = text.length - digits;
  let end = text.length;
  while (end > point && text.charCodeAt(end - 1) === ZERO) end--;
  const whole = text.slice(0, point);
  return `${negative ? '-' : ''}${end > point ? `${whole}.${text.slice(point, end)}` : whole}`;
}

/** Returns the shortest decimal text of an amount in picos. */
export function picosToDecimal(picos: bigint): string {
  return scaledToDecimal(picos, PICO_DIGITS);
}

const MIN_DECIMALS = 2;
const THOUSANDS_BOUNDARY = /\B(?=(\d{3})+$)/g;

/** Formats a decimal for people, with thousands separators and at least two decimals: `1234.5` becomes `1,234.50`. */
export function formatDecimal(decimal: string): string {
  const [whole = '', decimals = ''] = decimal.split('.');
  return `${whole.replace(THOUSANDS_BOUNDARY, ',')}.${decimals.padEnd(MIN_DECIMALS, '0')}`;
}

/** A JSON number that keeps all its digits; it is never converted to a float. */
export type ExactNumber = LosslessNumber;

/** Creates an exact JSON number from a decimal text. */
export function exactNumber(decimal: string): ExactNumber {
  return new LosslessNumber(decimal);
}

/** Returns the JSON text of a value that may contain exact numbers and bigints. */
export function stringifyExact(value: unknown): string {
  return stringify(value) ?? 'null';
}

/** Parses JSON with all numbers as exact numbers. Throws SyntaxError for invalid JSON. */
export function parseExact(text: string): unknown {
  return parse(text);
}
