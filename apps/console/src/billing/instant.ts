const FORM = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?(?:Z|[+-]00:?00))?$/;
const EARLIEST = '1970-01-01';
const MICROS_PER_MILLI = 1_000n;

/** A point in time, to the microsecond as the database has it. */
export interface Instant {
  micros: bigint;
  /** ISO 8601 in UTC with microseconds. */
  text: string;
}

/** Reads an ISO 8601 date or date and time in UTC, such as `2026-01-31` or `2026-01-31T12:30:00.5Z`; null otherwise. */
export function parseInstant(text: string): Instant | null {
  const match = FORM.exec(text);
  if (!match) return null;
  const [, date = '', time = '00:00', seconds = '00', fraction = ''] = match;
  const toTheSecond = `${date}T${time}:${seconds}`;
  const millis = Date.parse(`${toTheSecond}.000Z`);
  // Date.parse takes the 30th of February for a day in March, and 24:00 for the next day.
  if (date < EARLIEST || Number.isNaN(millis) || !new Date(millis).toISOString().startsWith(toTheSecond))
    return null;
  const micros = fraction.padEnd(6, '0');
  return { micros: BigInt(millis) * MICROS_PER_MILLI + BigInt(micros), text: `${toTheSecond}.${micros}Z` };
}

/** The first moment of the month, in UTC. */
export function startOfMonth(now: Date): Instant {
  const text = `${now.toISOString().slice(0, 7)}-01T00:00:00.000000Z`;
  return { micros: BigInt(Date.parse(text)) * MICROS_PER_MILLI, text };
}

export function instantOf(date: Date): Instant {
  return { micros: BigInt(date.getTime()) * MICROS_PER_MILLI, text: date.toISOString() };
}
