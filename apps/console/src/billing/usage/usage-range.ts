import { BadRequestException } from '@nestjs/common';
import { granularityFault, type TimeBuckets, timeBuckets } from '@inference/metering';
import { instantText, startOfMonth } from '@inference/time';
import { type UsageQuery } from './usage.dto';

const MICROS_PER_MILLI = 1_000n;

/** What is read: from `from` (included) to `to` (excluded), as ISO 8601 in UTC. */
export interface UsageRange extends TimeBuckets {
  from: string;
  /** Null: everything settled up to the time of reading. */
  to: string | null;
}

/** Throws BadRequestException for an empty period, and for too many hours. */
export function rangeOf({ from, to, granularity, time_zone: timeZone }: UsageQuery): UsageRange {
  const now = new Date();
  const start = from ?? startOfMonth(now, timeZone);
  if (start >= (to ?? BigInt(now.getTime()) * MICROS_PER_MILLI))
    throw new BadRequestException('from: must be before `to`');
  const fault = granularityFault(granularity, start, to ?? null);
  if (fault !== null) throw new BadRequestException(fault);
  return {
    from: instantText(start),
    to: to === undefined ? null : instantText(to),
    ...timeBuckets(granularity, timeZone, start, to ?? null),
  };
}
