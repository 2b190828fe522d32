import { Figure } from './figure';

export type Currency = 'USD' | 'CNY';

/** Digits of a shortened amount below one unit. */
const SMALL_AMOUNT_DECIMALS = 5;
const AMOUNT_DECIMALS = 2;
const SMALLEST_SHOWN = Figure.of('0.00001');
const ONE = Figure.of('1');
const NO_LIMIT_OF_DECIMALS = 20;
const SYMBOLS: Record<Currency, string> = { USD: '$', CNY: '¥' };

/** `Intl.NumberFormat` takes decimal texts and keeps all their digits; TypeScript's type knows only numbers that look so. */
const exactly = (figure: Figure) => figure.toString() as `${number}`;

function formatCurrency(
  figure: Figure,
  currency: Currency,
  language: string,
  decimals: [number, number],
): string {
  const [minimumFractionDigits, maximumFractionDigits] = decimals;
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits,
    maximumFractionDigits,
    roundingMode: 'halfEven',
  } as Intl.NumberFormatOptions).format(exactly(figure));
}

/**
 * An amount in a list, shortened: two decimals, five below one unit. What is shortened says so: `≈ $1.23`, and `< $0.00001` for
 * what would look like zero.
 */
export function formatShortAmount(figure: Figure, currency: Currency, language: string): string {
  const size = figure.absolute();
  if (figure.isZero || size.compare(SMALLEST_SHOWN) >= 0) {
    const decimals = size.compare(ONE) >= 0 ? AMOUNT_DECIMALS : SMALL_AMOUNT_DECIMALS;
    const text = formatCurrency(figure, currency, language, [AMOUNT_DECIMALS, decimals]);
    return decimalsOf([figure]) > decimals ? `≈ ${text}` : text;
  }
  const smallest = formatCurrency(SMALLEST_SHOWN, currency, language, [
    SMALL_AMOUNT_DECIMALS,
    SMALL_AMOUNT_DECIMALS,
  ]);
  return figure.isNegative ? `> -${smallest}` : `< ${smallest}`;
}

/** The decimals that the figures need together, at least those of an amount of money. */
export function decimalsOf(figures: Iterable<Figure>): number {
  let most = AMOUNT_DECIMALS;
  for (const figure of figures) most = Math.max(most, (figure.toString().split('.')[1] ?? '').length);
  return most;
}

/** The amount with all its digits and the code of its currency. */
export const formatAmountAndCurrency = (figure: Figure, currency: Currency, language: string): string =>
  `${formatCurrency(figure, currency, language, [AMOUNT_DECIMALS, NO_LIMIT_OF_DECIMALS])} ${currency}`;

/** The amount with all its digits, at least two decimals. */
export const formatAmount = (figure: Figure, currency: Currency, language: string): string =>
  formatCurrency(figure, currency, language, [AMOUNT_DECIMALS, NO_LIMIT_OF_DECIMALS]);

/** A number without a unit, with all its digits in groups. */
export const formatNumber = (figure: Figure, language: string): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: NO_LIMIT_OF_DECIMALS }).format(exactly(figure));

/** The sign that stands before an amount in a field. */
export const symbolOf = (currency: Currency): string => SYMBOLS[currency];

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

/** More decimals than any price has. */
const SCALE_EXPONENT = 20;

const SCALE = Figure.of(10n ** BigInt(SCALE_EXPONENT));

/** Percents are shown in hundredths. */
const HUNDREDTHS = 10_000n;

const PERCENT_DECIMALS = 2;

interface PercentChange {
  percent: Figure;
  isRounded: boolean;
}

/** The change in percent, rounded to two decimals half away from zero. Undefined if there is nothing to compare with. */
export function percentChange(
  before: Figure | undefined,
  after: Figure | undefined,
): PercentChange | undefined {
  if (!before || !after || before.isZero) return undefined;
  const base = wholeOf(before);
  const change = wholeOf(after) - base;
  const size = (change < 0n ? -change : change) * HUNDREDTHS;
  const rounded = (size + base / 2n) / base;
  const percent = Figure.of(change < 0n ? -rounded : rounded).dividedByTenTo(PERCENT_DECIMALS);
  return { percent, isRounded: rounded * base !== size };
}

const wholeOf = (price: Figure): bigint => BigInt(price.times(SCALE).toString());
