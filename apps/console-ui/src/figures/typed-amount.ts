import { Figure } from './figure';

/** Decimals of an amount that is paid, given back or booked by hand. */
export const PAYMENT_DECIMALS = 2;
/** Decimals that the services keep of an amount. Limits and the balance at which a notice is sent may have as many. */
export const LEDGER_DECIMALS = 12;

const MAX_WHOLE_DIGITS = 12;
/** Digits and signs as a Chinese keyboard types them. */
const FULL_WIDTH = /[\uff01-\uff5e]/g;
const FULL_WIDTH_OFFSET = 0xfee0;
const MINUS = '\u2212';
/** A text that was copied may carry marks of the direction of writing, which nobody sees. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The amount that a typed text means: digits and at most one point, in half or full width. Commas, spaces and further points
 * are refused, because `1,050` and `10,50` mean different amounts in different countries; so is `1.050` for a payment, by its
 * third decimal.
 *
 * @param decimals how many the amount may have
 * @returns undefined for any other text
 */
export function readAmount(text: string, decimals: number, { isSigned = false } = {}): Figure | undefined {
  const plain = text
    .replace(FULL_WIDTH, (character) => String.fromCharCode(character.charCodeAt(0) - FULL_WIDTH_OFFSET))
    .replace(DIRECTION_MARKS, '')
    .trim()
    .replace(MINUS, '-');
  const [, sign = '', digits = '', fraction = ''] = /^([+-]?)(\d+)(?:\.(\d+))?$/.exec(plain) ?? [];
  if (digits === '' || digits.length > MAX_WHOLE_DIGITS || fraction.length > decimals) return undefined;
  if (sign !== '' && !isSigned) return undefined;
  return Figure.of(plain.replace('+', ''));
}
