import { z } from 'zod';

/** A point in time as microseconds since 1970-01-01T00:00:00Z, the precision of PostgreSQL's timestamptz. */
export type InstantMicros = bigint;

const DATE = z.iso.date();
const DATE_TIME = z.iso.datetime({ offset: true });
const MICROS_PER_MILLI = 1_000n;
const MICROS_PER_SECOND = 1_000_000n;
/** The years 1 to 9999, which ISO 8601 writes with four digits. */
const MIN_MICROS = BigInt(Date.parse('0001-01-01T00:00:00Z')) * MICROS_PER_MILLI;
const END_MICROS = BigInt(Date.UTC(10_000, 0)) * MICROS_PER_MILLI;
/** At most microseconds, and no offset from UTC. */
const UTC_FORM = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]00:?00))?$/;
const UTC_OFFSET = /[+-]00:?00$/;

/** Adds the parts that ISO 8601 allows to omit: the time of a date, the seconds of a time. */
function complete(text: string): string {
  if (DATE.safeParse(text).success) return `${text}T00:00:00Z`;
  return text.replace(/(T\d{2}:\d{2})(?=Z|[+-])/, '$1:00');
}

/** Fractions beyond microseconds are rounded up: no stored time lies between two microseconds. */
function toMicros(dateTime: string): InstantMicros {
  const fraction = /\.(\d+)/.exec(dateTime)?.[1] ?? '';
  const millis = Date.parse(dateTime.replace(/\.\d+/, ''));
  const roundedUp = /[1-9]/.test(fraction.slice(6)) ? 1n : 0n;
  return BigInt(millis) * MICROS_PER_MILLI + BigInt(fraction.slice(0, 6).padEnd(6, '0')) + roundedUp;
}

/**
 * Reads an ISO 8601 date (its start in UTC) or date and time with `Z` or an offset, in the years 1 to 9999. Returns null for
 * any other text.
 */
export function parseInstant(text: string): InstantMicros | null {
  const dateTime = complete(text);
  if (!DATE_TIME.safeParse(dateTime).success) return null;
  const micros = toMicros(dateTime);
  return micros >= MIN_MICROS && micros < END_MICROS ? micros : null;
}

/**
 * Reads an ISO 8601 date or date and time in UTC from 1970 on, with at most microseconds, such as `2026-01-31` or
 * `2026-01-31T12:30:00.5Z`. Returns null for any other text.
 */
export function parseUtcInstant(text: string): InstantMicros | null {
  if (!UTC_FORM.test(text)) return null;
  const micros = parseInstant(text.includes('T') ? text.replace(UTC_OFFSET, 'Z') : text);
  return micros !== null && micros >= 0n ? micros : null;
}

/** Returns ISO 8601 in UTC with microseconds, such as `2026-01-31T12:30:00.500000Z`. */
export function instantText(micros: InstantMicros): string {
  const fraction = ((micros % MICROS_PER_SECOND) + MICROS_PER_SECOND) % MICROS_PER_SECOND;
  const wholeSeconds = new Date(Number((micros - fraction) / MICROS_PER_MILLI)).toISOString().slice(0, 19);
  return `${wholeSeconds}.${fraction.toString().padStart(6, '0')}Z`;
}

/** Returns the first instant of the month in UTC. */
export function startOfMonth(now: Date): InstantMicros {
  return BigInt(Date.UTC(now.getUTCFullYear(), now.getUTCMonth())) * MICROS_PER_MILLI;
}
