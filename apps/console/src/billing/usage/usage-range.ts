import { BadRequestException } from '@nestjs/common';
import { hasWholeHourOffsets, instantText, startOfMonth } from '@inference/time';
import { type Granularity, type UsageQuery } from './usage.dto';

/** A year by the hour, which is at most 8,784 rows per model and unit; twice doubles the largest response. */
const MAX_HOURLY_DAYS = 366;
const MICROS_PER_MILLI = 1_000n;
const MICROS_PER_DAY = 86_400_000_000n;

/** What is read: from `from` (included) to `to` (excluded), as ISO 8601 in UTC. */
export interface UsageRange {
  from: string;
  /** Null: everything settled up to the time of reading. */
  to: string | null;
  granularity: Granularity;
  /** The zone whose days or hours are the buckets. */
  timeZone: string;
  /** Whether a bucket may begin within an hour of UTC, by which usage is added up. */
  splitsHours: boolean;
}

/** Throws BadRequestException for an empty period, and for too many hours. */
export function rangeOf({ from, to, granularity, time_zone: timeZone }: UsageQuery): UsageRange {
  const now = new Date();
  const start = from ?? startOfMonth(now, timeZone);
  const end = to ?? BigInt(now.getTime()) * MICROS_PER_MILLI;
  if (start >= end) throw new BadRequestException('from: must be before `to`');
  if (granularity === 'hour' && end - start > BigInt(MAX_HOURLY_DAYS) * MICROS_PER_DAY) {
    throw new BadRequestException(
      `granularity: by the hour, at most ${MAX_HOURLY_DAYS} days can be asked for at once`,
    );
  }
  const range = { from: instantText(start), to: to === undefined ? null : instantText(to), granularity };
  if (granularity === 'hour') return { ...range, timeZone: 'UTC', splitsHours: false };
  // There is no usage before 1970 and none in the future.
  const firstMillis = Math.max(Number(start / MICROS_PER_MILLI), 0);
  const lastMillis = Math.min(Number(end / MICROS_PER_MILLI), now.getTime());
  return { ...range, timeZone, splitsHours: !hasWholeHourOffsets(timeZone, firstMillis, lastMillis) };
}
