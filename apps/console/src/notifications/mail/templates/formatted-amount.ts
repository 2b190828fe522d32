import { type Currency } from '@inference/config';
import { decimalToPicos, formatDecimal, PICO_DIGITS, picosToDecimal } from '@inference/money';

const DECIMALS = 2;
const PICOS_PER_HUNDREDTH = 10n ** BigInt(PICO_DIGITS - DECIMALS);

/** An amount of money for people to read. */
export interface FormattedAmount {
  /** With thousands separators and at least two decimals: `1,250.00`. */
  figure: string;
  currency: Currency;
  /** True if the exact amount is higher than the figure, by less than a hundredth. */
  isRounded: boolean;
}

const figureOf = (picos: bigint): string => formatDecimal(picosToDecimal(picos));

/** Keeps all decimals. */
export function formatExactAmount(decimal: string, currency: Currency): FormattedAmount {
  return { figure: figureOf(decimalToPicos(decimal)), currency, isRounded: false };
}

/** Rounds down to hundredths, so that the figure is never higher than the amount. */
export function formatAmountRoundedDown(decimal: string, currency: Currency): FormattedAmount {
  const picos = decimalToPicos(decimal);
  const rest = picos % PICOS_PER_HUNDREDTH;
  return { figure: figureOf(picos - rest), currency, isRounded: rest !== 0n };
}
