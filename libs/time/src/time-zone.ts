const MILLIS_PER_SECOND = 1_000;
const MILLIS_PER_HOUR = 3_600_000;
const MILLIS_PER_DAY = 24 * MILLIS_PER_HOUR;
/** No zone keeps an offset for a shorter time; Morocco's is another one for the four weeks around Ramadan. */
const SHORTEST_OFFSET_MILLIS = 28 * MILLIS_PER_DAY;
/**
 * Leaves out what Intl and PostgreSQL read differently, or only one of them knows: offsets such as `+08:00`, and names of
 * three letters, which are abbreviations (`IST` is in India and in Israel; `CET` has summer time or not).
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

/** Whether the zone is whole hours from UTC all the time between two instants, so that its days begin with an hour of UTC. */
export function hasWholeHourOffsets(timeZone: string, fromMillis: number, toMillis: number): boolean {
  const isWholeHour = (at: number) => offsetMillis(timeZone, at) % MILLIS_PER_HOUR === 0;
  for (let at = fromMillis; at < toMillis; at += SHORTEST_OFFSET_MILLIS) if (!isWholeHour(at)) return false;
  return isWholeHour(toMillis);
}
