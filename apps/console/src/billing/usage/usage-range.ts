import { BadRequestException } from '@nestjs/common';
import { hasWholeHourOffsets, instantText, startOfMonth } from '@inference/time';
import { type Granularity, type UsageQuery } from './usage.dto';

/** A year by the hour, which is at most 8,784 rows per model and unit; twice doubles the largest response. */
const MAX_HOURLY_DAYS = 366;
const MICROS_PER_MILLI = 1_000n;
const MICROS_PER_DAY = 86_400_000_000n;
/** Usage is added up by the hour of UTC, and such a zone's midnight is within one. */
const PART_HOUR_ZONE =
  'time_zone: is not whole hours from UTC, so its days cannot be added up; granularity=hour and a time in `from` can be asked for';

/** What is read: from `from` (included) to `to` (excluded), as ISO 8601 in UTC. */
export interface UsageRange {
  from: string;
  /** Null: everything settled up to the time of reading. */
  to: string | null;
  granularity: Granularity;
  /** The zone whose days or hours are the buckets. */
  timeZone: string;
}

/** Throws BadRequestException for an empty period, and for one that cannot be added up. */
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
  if (granularity === 'day' && !hasWholeHourOffsets(timeZone)) throw new BadRequestException(PART_HOUR_ZONE);
  return {
    from: instantText(start),
    to: to === undefined ? null : instantText(to),
    granularity,
    timeZone: granularity === 'day' ? timeZone : 'UTC',
  };
}
