const MILLIS_PER_SECOND = 1_000;
const MILLIS_PER_DAY = 86_400_000;
/** More than two days less than any zone keeps an offset: Recife had one for seven days in 2000, Gaza has again from 2040 on. */
const SAMPLE_MILLIS = 4 * MILLIS_PER_DAY;
/**
 * Leaves out what Intl knows beside the names of IANA: offsets such as `+08:00`, and names of three letters, most of which are
 * abbreviations of several zones (`IST` is in India and in Israel).
 */
const NAME = /^(?!SystemV\/)(?:UTC|GMT|[A-Z]{2}|[A-Z][A-Z0-9_+/-]{3,})$/i;
const OFFSET = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/;

/** What the sender of a refused time zone is told. */
export const TIME_ZONE_FORM = 'must be an IANA time zone such as UTC or Asia/Shanghai';

/** By name in lower case. Creating a format takes a hundred times as long as using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Throws RangeError for an unknown zone. */
function formatIn(timeZone: string): Intl.DateTimeFormat {
  const key = timeZone.toLowerCase();
  const format = formats.get(key) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  formats.set(key, format);
  return format;
}

/**
 * Whether the text is a name or link of the IANA time zone database, such as `Asia/Shanghai`, `Etc/UTC` or `Japan`, in
 * upper or lower case. Names of three letters are not accepted, except UTC and GMT.
 */
export function isTimeZone(name: string): boolean {
  if (!NAME.test(name)) return false;
  try {
    formatIn(name);
    return true;
  } catch {
    return false;
  }
}

/** Returns how far the zone's clocks are ahead of UTC, in milliseconds. Throws RangeError for an unknown zone. */
function offsetMillis(timeZone: string, atMillis: number): number {
  if (timeZone === 'UTC') return 0;
  const match = OFFSET.exec(formatIn(timeZone).format(atMillis));
  if (!match) return 0;
  const [, sign, hours, minutes, seconds = '0'] = match;
  const total = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === '-' ? -total : total) * MILLIS_PER_SECOND;
}

/**
 * Returns the first instant of a day in the zone, in milliseconds since 1970: the first of two midnights, and the change of
 * the clocks if it skips midnight.
 * @param utcMidnight midnight of the same date in UTC, in milliseconds since 1970
 */
export function startOfDayMillis(utcMidnight: number, timeZone: string): number {
  const midnightBy = (offsetAt: number) => utcMidnight - offsetMillis(timeZone, offsetAt);
  const isMidnight = (at: number) => at + offsetMillis(timeZone, at) === utcMidnight;
  // The clocks may change near midnight.
  const before = midnightBy(utcMidnight - MILLIS_PER_DAY);
  const after = midnightBy(utcMidnight + MILLIS_PER_DAY);
  return !isMidnight(before) && isMidnight(after) ? after : before;
}

/** Returns midnight in UTC of the first day of the zone's current month, in milliseconds since 1970. */
export function firstOfMonthMillis(now: Date, timeZone: string): number {
  const local = new Date(now.getTime() + offsetMillis(timeZone, now.getTime()));
  return Date.UTC(local.getUTCFullYear(), local.getUTCMonth());
}

/**
 * Returns the starts of the days in the zone that the time between two instants touches, ascending, in milliseconds since 1970.
 * A date that the zone skipped has no start.
 */
export function startsOfDays(timeZone: string, fromMillis: number, toMillis: number): number[] {
  const dateAt = (at: number) => {
    const local = at + offsetMillis(timeZone, at);
    return local - modulo(local, MILLIS_PER_DAY);
  };
  const endDate = dateAt(toMillis) + MILLIS_PER_DAY;
  const starts: number[] = [];
  for (let date = dateAt(fromMillis); date < endDate; date += SAMPLE_MILLIS) {
    const nextDate = Math.min(date + SAMPLE_MILLIS, endDate);
    const offset = offsetMillis(timeZone, date - MILLIS_PER_DAY);
    const isConstant = offset === offsetMillis(timeZone, nextDate + MILLIS_PER_DAY);
    for (let day = date; day < nextDate; day += MILLIS_PER_DAY) {
      const start = isConstant ? day - offset : startOfDayMillis(day, timeZone);
      if (start !== starts.at(-1)) starts.push(start);
    }
  }
  return starts;
}

/**
 * Returns the starts of the months in the zone that the time between two instants touches, ascending, in milliseconds since 1970.
 */
export function startsOfMonths(timeZone: string, fromMillis: number, toMillis: number): number[] {
  const starts: number[] = [];
  const first = new Date(firstOfMonthMillis(new Date(fromMillis), timeZone));
  for (let month = first.getUTCMonth(); ; month++) {
    const start = startOfDayMillis(Date.UTC(first.getUTCFullYear(), month), timeZone);
    if (start > toMillis) return starts;
    starts.push(start);
  }
}

const modulo = (value: number, divisor: number) => ((value % divisor) + divisor) % divisor;
