import { type Currency } from '@inference/config';
import { decimalToPicos, PICO_DIGITS, picosToDecimal } from '@inference/money';

const DECIMALS = 2;
const PICOS_PER_HUNDREDTH = 10n ** BigInt(PICO_DIGITS - DECIMALS);
const BETWEEN_THOUSANDS = /\B(?=(\d{3})+$)/g;

/** An amount of money as people read it. */
export interface Amount {
  /** With two decimals or more: `1,250.00`. */
  figure: string;
  currency: Currency;
  /** The figure is as far below the truth as a hundredth at most. */
  isRounded: boolean;
}

function figureOf(picos: bigint): string {
  const [whole = '', decimals = ''] = picosToDecimal(picos).split('.');
  return `${whole.replace(BETWEEN_THOUSANDS, ',')}.${decimals.padEnd(DECIMALS, '0')}`;
}

/** All of its digits. */
export function exactAmount(decimal: string, currency: Currency): Amount {
  return { figure: figureOf(decimalToPicos(decimal)), currency, isRounded: false };
}

/** To the hundredth, and never more than there is. */
export function amountRoundedDown(decimal: string, currency: Currency): Amount {
  const picos = decimalToPicos(decimal);
  const rest = picos % PICOS_PER_HUNDREDTH;
  return { figure: figureOf(picos - rest), currency, isRounded: rest !== 0n };
}
