import { type InstantMicros, startsOfDays, startsOfMonths } from '@inference/time';

export const GRANULARITIES = ['day', 'hour', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** A year by the hour, which is at most 8,784 rows per model and unit; twice doubles the largest response. */
const MAX_HOURLY_DAYS = 366;
const MILLIS_PER_HOUR = 3_600_000;
const MILLIS_PER_DAY = 24 * MILLIS_PER_HOUR;
const MICROS_PER_MILLI = 1_000n;
const MICROS_PER_DAY = 86_400_000_000n;

/** A time of UTC by which usage is rolled up. */
export type RollupPeriod = 'hour' | 'day' | 'month';

/** How the time of a report is divided. */
export interface TimeBuckets {
  /** The starts of the buckets, ascending, as ISO 8601 in UTC. Null: each hour of UTC is a bucket. */
  starts: string[] | null;
  /** The hours of UTC, by which usage is added up, within which a bucket starts. */
  splitHours: string[];
  /** The longest of the periods within which no bucket starts, split hours apart. */
  coarsest: RollupPeriod;
}

/** Names the fault of a period that is too long for its granularity; null if it has none. */
export function granularityFault(
  granularity: Granularity | undefined,
  start: InstantMicros,
  end: InstantMicros | null,
): string | null {
  const period = (end ?? BigInt(Date.now()) * MICROS_PER_MILLI) - start;
  if (granularity !== 'hour' || period <= BigInt(MAX_HOURLY_DAYS) * MICROS_PER_DAY) return null;
  return `granularity: by the hour, at most ${MAX_HOURLY_DAYS} days can be asked for at once`;
}

/** Divides the time from `start` to `end` (null: now) into hours of UTC, or into days or months of a time zone. */
export function timeBuckets(
  granularity: Granularity,
  timeZone: string,
  start: InstantMicros,
  end: InstantMicros | null,
): TimeBuckets {
  if (granularity === 'hour') return { starts: null, splitHours: [], coarsest: 'hour' };
  const nowMillis = Date.now();
  // There is no usage before 1970. The day after the last one may begin before the usage is read.
  const firstMillis = Math.max(Number(start / MICROS_PER_MILLI), 0);
  const lastMillis = end === null ? nowMillis : Math.min(Number(end / MICROS_PER_MILLI), nowMillis);
  const startsIn = granularity === 'day' ? startsOfDays : startsOfMonths;
  const starts = startsIn(timeZone, firstMillis, Math.max(firstMillis, lastMillis) + MILLIS_PER_DAY);
  const splitHours = starts.filter(startsWithinHour).map((at) => at - (at % MILLIS_PER_HOUR));
  const coarsest = starts.every(startsDay) ? granularity : 'hour';
  return { starts: starts.map(isoText), splitHours: splitHours.map(isoText), coarsest };
}

const startsWithinHour = (at: number) => at % MILLIS_PER_HOUR !== 0;
/** Months of a time zone start days of UTC only if they are months of UTC: no zone is a day away. */
const startsDay = (at: number) => at % MILLIS_PER_DAY === 0;
const isoText = (at: number) => new Date(at).toISOString();
