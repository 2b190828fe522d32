import { type Currency } from '@inference/config';
import { type PriceUnit } from '@inference/metering';
import { type ExactNumber } from '@inference/money';
import {
  hasWholeHourOffsets,
  INSTANT_FORM,
  instantText,
  isTimeZone,
  parseInstant,
  startOfMonth,
  TIME_ZONE_FORM,
} from '@inference/time';
import { z } from 'zod';

/** A year by the hour, which is at most 8,784 rows per model and unit; twice doubles the largest response. */
const MAX_HOURLY_DAYS = 366;
const MICROS_PER_MILLI = 1_000n;
const MICROS_PER_DAY = 86_400_000_000n;
/** Usage is added up by the hour of UTC, and such a zone's midnight is within one. */
const PART_HOUR_ZONE =
  'is not whole hours from UTC, so its days cannot be added up; granularity=hour and a time in `from` can be asked for';

const ONCE = 'must be given once';

const instant = () => z.string(ONCE).refine((text) => parseInstant(text) !== null, INSTANT_FORM);

export const usageQuery = z
  .object({
    from: instant().optional(),
    to: instant().optional(),
    granularity: z.enum(['day', 'hour'], 'must be day or hour').default('day'),
    /** The zone of the days, of a `from` or `to` that is a date, and of the month in which `from` begins by default. */
    time_zone: z.string(ONCE).refine(isTimeZone, TIME_ZONE_FORM).default('UTC'),
  })
  .transform(({ from, to, granularity, time_zone: timeZone }, context) => {
    const now = new Date();
    const start = from === undefined ? startOfMonth(now, timeZone) : parseInstant(from, timeZone);
    const end = to === undefined ? BigInt(now.getTime()) * MICROS_PER_MILLI : parseInstant(to, timeZone);
    const refuse = (name: string, message: string) => {
      context.addIssue({ code: 'custom', path: [name], message });
      return z.NEVER;
    };
    // The first day of the year 1 may begin before that year in UTC.
    if (start === null || end === null) return refuse(start === null ? 'from' : 'to', INSTANT_FORM);
    if (start >= end) return refuse('from', 'must be before `to`');
    if (granularity === 'hour' && end - start > BigInt(MAX_HOURLY_DAYS) * MICROS_PER_DAY) {
      return refuse('granularity', `by the hour, at most ${MAX_HOURLY_DAYS} days can be asked for at once`);
    }
    if (granularity === 'day' && !hasWholeHourOffsets(timeZone)) return refuse('time_zone', PART_HOUR_ZONE);
    return {
      from: instantText(start),
      /** Null: everything settled up to the time of reading. */
      to: to === undefined ? null : instantText(end),
      granularity,
      /** The zone whose days or hours are the buckets. */
      timeZone: granularity === 'day' ? timeZone : 'UTC',
    };
  });
export type UsageQuery = z.output<typeof usageQuery>;

/** Spec: Usage row. */
export interface UsageRowView {
  /** Start of the day in the requested time zone, or of the hour, in UTC; ISO 8601. */
  timestamp: string;
  model: string;
  /** In the unit: 0.001234 for 1,234 tokens at per_million_tokens. */
  quantity: ExactNumber;
  unit: PriceUnit;
  cost: ExactNumber;
  currency: Currency;
}
