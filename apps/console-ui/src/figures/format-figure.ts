import { Figure } from './figure';

export type Currency = 'USD' | 'CNY';

/** Digits that are shown of an amount below one unit; further ones are in the title and in what is copied. */
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
 * An amount as people read it: two decimals, five below one unit, and `< $0.00001` for what would look like zero. Say the
 * exact amount beside it (`formatExactAmount`).
 */
export function formatAmount(figure: Figure, currency: Currency, language: string): string {
  const size = figure.absolute();
  if (figure.isZero || size.compare(ONE) >= 0)
    return formatCurrency(figure, currency, language, [AMOUNT_DECIMALS, AMOUNT_DECIMALS]);
  if (size.compare(SMALLEST_SHOWN) >= 0)
    return formatCurrency(figure, currency, language, [AMOUNT_DECIMALS, SMALL_AMOUNT_DECIMALS]);
  const smallest = formatCurrency(SMALLEST_SHOWN, currency, language, [
    SMALL_AMOUNT_DECIMALS,
    SMALL_AMOUNT_DECIMALS,
  ]);
  return figure.isNegative ? `> -${smallest}` : `< ${smallest}`;
}

/** The amount with all its digits and the currency. */
export const formatExactAmount = (figure: Figure, currency: Currency, language: string): string =>
  `${formatCurrency(figure, currency, language, [AMOUNT_DECIMALS, NO_LIMIT_OF_DECIMALS])} ${currency}`;

/** A price: all its digits, at least two decimals. */
export const formatPrice = (figure: Figure, currency: Currency, language: string): string =>
  formatCurrency(figure, currency, language, [AMOUNT_DECIMALS, NO_LIMIT_OF_DECIMALS]);

/** A number without a unit, with all its digits in groups. */
export const formatNumber = (figure: Figure, language: string): string =>
  new Intl.NumberFormat(language, { maximumFractionDigits: NO_LIMIT_OF_DECIMALS }).format(exactly(figure));

/** The sign that stands before an amount in a field. */
export const symbolOf = (currency: Currency): string => SYMBOLS[currency];
