import { type ExactNumber, exactNumber, PICO_DIGITS, scaledToDecimal } from '@inference/money';
import { type AmountOptions } from '../../validation/amount-field.decorator';
import { type Refund } from './payment.entity';

/** Payment providers count in minor units: hundredths of the currency. */
const MINOR_DIGITS = 2;
const PICOS_PER_MINOR = 10n ** BigInt(PICO_DIGITS - MINOR_DIGITS);
/** Far above every configurable top-up, so that the error for a too large amount names the configured bounds. */
const MAX_AMOUNT = 1_000_000_000;

/** A positive amount in a request body, parsed to minor units. */
export const POSITIVE_AMOUNT: Pick<AmountOptions, 'decimals' | 'max' | 'rule'> = {
  decimals: MINOR_DIGITS,
  max: MAX_AMOUNT,
  rule: [(minor) => minor > 0n, 'must be positive'],
};

export const minorToPicos = (minor: bigint): bigint => minor * PICOS_PER_MINOR;

/** Decimal text in the currency: `20`, `19.99`. */
export const minorToDecimal = (minor: bigint): string => scaledToDecimal(minor, MINOR_DIGITS);

/** The amount in the currency as a JSON number. */
export const minorToNumber = (minor: bigint): ExactNumber => exactNumber(minorToDecimal(minor));

/** What was given back, in minor units. Pending and failed refunds do not count. */
export const refundedMinor = (refunds: Refund[]): bigint =>
  refunds.reduce((sum, { status, amountMinor }) => (status === 'succeeded' ? sum + amountMinor : sum), 0n);
