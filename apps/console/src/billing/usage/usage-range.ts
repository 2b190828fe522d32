import { BadRequestException } from '@nestjs/common';
import { instantText, startOfMonth, startsOfDays } from '@inference/time';
import { type UsageQuery } from './usage.dto';

/** A year by the hour, which is at most 8,784 rows per model and unit; twice doubles the largest response. */
const MAX_HOURLY_DAYS = 366;
const MILLIS_PER_HOUR = 3_600_000;
const MILLIS_PER_DAY = 24 * MILLIS_PER_HOUR;
const MICROS_PER_MILLI = 1_000n;
const MICROS_PER_DAY = 86_400_000_000n;

/** What is read: from `from` (included) to `to` (excluded), as ISO 8601 in UTC. */
export interface UsageRange {
  from: string;
  /** Null: everything settled up to the time of reading. */
  to: string | null;
  /** The starts of the buckets, ascending, as ISO 8601 in UTC. Null: each hour of UTC is a bucket. */
  starts: string[] | null;
  /** The hours of UTC, by which usage is added up, within which a bucket starts. */
  splitHours: string[];
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
  const range = { from: instantText(start), to: to === undefined ? null : instantText(to) };
  if (granularity === 'hour') return { ...range, starts: null, splitHours: [] };
  // There is no usage before 1970. The day after the last one may begin before the usage is read.
  const firstMillis = Math.max(Number(start / MICROS_PER_MILLI), 0);
  const lastMillis = Math.min(Number(end / MICROS_PER_MILLI), now.getTime());
  const starts = startsOfDays(timeZone, firstMillis, Math.max(firstMillis, lastMillis) + MILLIS_PER_DAY);
  const splitHours = starts.filter(startsWithinHour).map((at) => at - (at % MILLIS_PER_HOUR));
  return { ...range, starts: starts.map(isoText), splitHours: splitHours.map(isoText) };
}

const startsWithinHour = (at: number) => at % MILLIS_PER_HOUR !== 0;
const isoText = (at: number) => new Date(at).toISOString();
