import { z } from 'zod';
import { firstOfMonthMillis, startOfDayMillis } from './time-zone';

/** A point in time as microseconds since 1970-01-01T00:00:00Z, the precision of PostgreSQL's timestamptz. */
export type InstantMicros = bigint;

/** What the sender of a refused time is told. */
export const INSTANT_FORM =
  'must be an RFC 3339 time such as 2026-01-31T12:30:00Z or 2026-01-31T20:30:00+08:00';

const DATE = z.iso.date();
const DATE_TIME = z.iso.datetime({ offset: true });
const MICROS_PER_MILLI = 1_000n;
const MICROS_PER_SECOND = 1_000_000n;
/** The years 1 to 9999, which RFC 3339 writes with four digits. */
const MIN_MICROS = BigInt(Date.parse('0001-01-01T00:00:00Z')) * MICROS_PER_MILLI;
const END_MICROS = BigInt(Date.UTC(10_000, 0)) * MICROS_PER_MILLI;

/** Adds what ISO 8601 allows to omit (seconds, the colon of an offset), and restores a `+` that a query string made a space. */
function normalize(text: string): string {
  return text
    .replace(/^(\d{4}-\d\d-\d\d)t/, '$1T')
    .replace(/z$/, 'Z')
    .replace(/ (\d\d:?\d\d)$/, '+$1')
    .replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
    .replace(/(T\d\d:\d\d)(?=Z|[+-])/, '$1:00');
}

/** Digits beyond microseconds are cut. */
function toMicros(dateTime: string): InstantMicros {
  const fraction = /\.(\d+)/.exec(dateTime)?.[1] ?? '';
  const millis = Date.parse(dateTime.replace(/\.\d+/, ''));
  return BigInt(millis) * MICROS_PER_MILLI + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

function readMicros(text: string, timeZone: string): InstantMicros | null {
  if (DATE.safeParse(text).success) {
    return BigInt(startOfDayMillis(Date.parse(text), timeZone)) * MICROS_PER_MILLI;
  }
  const dateTime = normalize(text);
  return DATE_TIME.safeParse(dateTime).success ? toMicros(dateTime) : null;
}

/**
 * Reads an RFC 3339 time with `Z` or an offset, in the years 1 to 9999, or a date, which is the start of that day in the
 * time zone. Returns null for any other text.
 */
export function parseInstant(text: string, timeZone = 'UTC'): InstantMicros | null {
  const micros = readMicros(text, timeZone);
  return micros !== null && micros >= MIN_MICROS && micros < END_MICROS ? micros : null;
}

/** Returns ISO 8601 in UTC with microseconds, such as `2026-01-31T12:30:00.500000Z`. */
export function instantText(micros: InstantMicros): string {
  const fraction = ((micros % MICROS_PER_SECOND) + MICROS_PER_SECOND) % MICROS_PER_SECOND;
  const wholeSeconds = new Date(Number((micros - fraction) / MICROS_PER_MILLI)).toISOString().slice(0, 19);
  return `${wholeSeconds}.${fraction.toString().padStart(6, '0')}Z`;
}

/** Returns the first instant of the current month in the time zone. */
export function startOfMonth(now: Date, timeZone = 'UTC'): InstantMicros {
  return BigInt(startOfDayMillis(firstOfMonthMillis(now, timeZone), timeZone)) * MICROS_PER_MILLI;
}
