import { decimalToScaled } from '@inference/money';

/** Tax rates in use have at most three decimals. */
export const PERCENT_DECIMALS = 4;
export const PERCENT_SCALE = 10n ** BigInt(PERCENT_DECIMALS);

export interface TaxRate {
  name: string;
  /** Decimal text with at most PERCENT_DECIMALS decimals. */
  percent: string;
}

export interface Tax extends TaxRate {
  /** In hundredths of the currency. */
  amountMinor: bigint;
}

export interface TaxedAmount {
  netMinor: bigint;
  taxes: Tax[];
}

/**
 * Splits an amount that includes taxes into the net and one amount per tax, in hundredths, which add up exactly.
 *
 * The net is total × 100 / (100 + sum of the percentages), rounded half up; the rest is tax. Each tax gets its exact share
 * rounded down, and the remaining hundredths go one each to the largest fractions, the earlier line first among equals.
 * So the net is off by at most half a hundredth, each tax by less than one, and no amount is negative.
 */
export function splitTaxes(totalMinor: bigint, rates: readonly TaxRate[]): TaxedAmount {
  const parts = rates.map(({ percent }) => decimalToScaled(percent, PERCENT_DECIMALS));
  const whole = 100n * PERCENT_SCALE;
  const divisor = parts.reduce((sum, part) => sum + part, whole);
  const netMinor = (2n * totalMinor * whole + divisor) / (2n * divisor);
  const shares = parts.map((part) => totalMinor * part);
  const amounts = shares.map((share) => share / divisor);
  const missing = totalMinor - netMinor - amounts.reduce((sum, amount) => sum + amount, 0n);
  const byFraction = shares
    .map((share, index) => ({ index, fraction: share % divisor }))
    .sort((a, b) => (a.fraction === b.fraction ? a.index - b.index : a.fraction > b.fraction ? -1 : 1));
  for (const { index } of byFraction.slice(0, Number(missing))) amounts[index]! += 1n;
  return { netMinor, taxes: rates.map((rate, index) => ({ ...rate, amountMinor: amounts[index]! })) };
}
