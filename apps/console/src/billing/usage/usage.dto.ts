import { type Currency } from '@inference/config';
import { type PriceUnit } from '@inference/metering';
import { type ExactNumber } from '@inference/money';
import { instantText, parseUtcInstant, startOfMonth } from '@inference/time';
import { z } from 'zod';

/** A year by the hour, which is at most 8,784 rows per model and unit; twice doubles the largest response. */
const MAX_HOURLY_DAYS = 366;
const MICROS_PER_MILLI = 1_000n;
const MICROS_PER_DAY = 86_400_000_000n;

const instant = () =>
  z
    .string('must be given once')
    .transform((text, context) => {
      const micros = parseUtcInstant(text);
      if (micros !== null) return micros;
      context.addIssue({ code: 'custom', message: 'must be ISO 8601 in UTC, like 2026-01-31T00:00:00Z' });
      return z.NEVER;
    })
    .optional();

export const usageQuery = z
  .object({
    from: instant(),
    to: instant(),
    granularity: z.enum(['day', 'hour'], 'must be day or hour').default('day'),
  })
  .transform(({ from, to, granularity }, context) => {
    const now = new Date();
    const start = from ?? startOfMonth(now);
    const end = to ?? BigInt(now.getTime()) * MICROS_PER_MILLI;
    if (start >= end) {
      context.addIssue({ code: 'custom', path: ['from'], message: 'must be before `to`' });
    }
    if (granularity === 'hour' && end - start > BigInt(MAX_HOURLY_DAYS) * MICROS_PER_DAY) {
      const message = `by the hour, at most ${MAX_HOURLY_DAYS} days can be asked for at once`;
      context.addIssue({ code: 'custom', path: ['granularity'], message });
    }
    return {
      from: instantText(start),
      /** Null: everything settled up to the time of reading. */
      to: to === undefined ? null : instantText(to),
      granularity,
    };
  });
export type UsageQuery = z.output<typeof usageQuery>;

/** Spec: Usage row. */
export interface UsageRowView {
  /** Start of the day or hour, ISO 8601. */
  timestamp: string;
  model: string;
  /** In the unit: 0.001234 for 1,234 tokens at per_million_tokens. */
  quantity: ExactNumber;
  unit: PriceUnit;
  cost: ExactNumber;
  currency: Currency;
}
