import { RATE_DIGITS } from '@inference/metering';
import { type ExactNumber } from '@inference/money';
import { z } from 'zod';
import { decimalField } from '../../validation/money-fields';

const MAX_RATE = 1_000_000;
const MAX_DAYS = 1_000;

export const publishExchangeRatesDto = z.strictObject({
  rates: z
    .array(
      z.strictObject({
        /** The UTC day from which the rate applies, until the next stored day. */
        date: z.iso
          .date('must be a date like 2026-01-31')
          .refine((date) => date >= '1970-01-01', 'must not be before 1970'),
        usd_per_unit: decimalField(
          { decimals: RATE_DIGITS, max: MAX_RATE },
          (rate) => rate > 0n,
          'must be positive',
        ),
      }),
    )
    .min(1, 'must hold at least one rate')
    .max(MAX_DAYS, `must have at most ${MAX_DAYS} entries`)
    .refine(
      (rates) => new Set(rates.map(({ date }) => date)).size === rates.length,
      'must name each day once',
    ),
});
/** `usd_per_unit` is scaled by 10^RATE_DIGITS. */
export type PublishExchangeRatesDto = z.output<typeof publishExchangeRatesDto>;

export interface ExchangeRateView {
  date: string;
  usd_per_unit: ExactNumber;
}
