import { type ExactNumber, exactNumber, PICO_DIGITS, scaledToDecimal } from '@inference/money';
import { decimalField, decimalNumberField } from '../../validation/money-fields';

/** Payment providers count in minor units: hundredths of the currency. */
const MINOR_DIGITS = 2;
const PICOS_PER_MINOR = 10n ** BigInt(PICO_DIGITS - MINOR_DIGITS);
/** Far above every configurable top-up, so that the error for a too large amount names the configured bounds. */
const MAX_AMOUNT = 1_000_000_000;

const POSITIVE_AMOUNT: Parameters<typeof decimalField> = [
  { decimals: MINOR_DIGITS, max: MAX_AMOUNT },
  (minor) => minor > 0n,
  'must be positive',
];

/** A positive amount in a request body, as number or text, parsed to minor units. */
export const minorAmountField = () => decimalField(...POSITIVE_AMOUNT);
/** A positive amount in a request body that must be a JSON number, parsed to minor units. */
export const minorNumberField = () => decimalNumberField(...POSITIVE_AMOUNT);

export const minorToPicos = (minor: bigint): bigint => minor * PICOS_PER_MINOR;

/** Decimal text in the currency: `20`, `19.99`. */
export const minorToDecimal = (minor: bigint): string => scaledToDecimal(minor, MINOR_DIGITS);

/** The amount in the currency as a JSON number. */
export const minorToNumber = (minor: bigint): ExactNumber => exactNumber(minorToDecimal(minor));
