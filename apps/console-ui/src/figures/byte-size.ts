import { Figure } from './figure';

/** Decimal units, as shops and networks count; the power of ten of each. */
const UNITS = [
  ['terabyte', 12],
  ['gigabyte', 9],
  ['megabyte', 6],
  ['kilobyte', 3],
] as const;
const SHOWN_DECIMALS = 1;

const inUnit = (figure: Figure, unit: string, unitDisplay: 'short' | 'long', language: string) =>
  new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay,
    maximumFractionDigits: SHOWN_DECIMALS,
  }).format(figure.toString() as `${number}`);

/** A number of bytes with all its digits: `4,920,739,232 bytes`. */
export const formatExactBytes = (bytes: Figure, language: string): string =>
  inUnit(bytes, 'byte', 'long', language);

/** A number of bytes as people read it: `4.9 GB`. Say the exact number beside it. */
export function formatBytes(bytes: Figure, language: string): string {
  for (const [unit, exponent] of UNITS) {
    if (bytes.compare(Figure.of(10n ** BigInt(exponent))) >= 0)
      return inUnit(bytes.dividedByTenTo(exponent), unit, 'short', language);
  }
  return formatExactBytes(bytes, language);
}
