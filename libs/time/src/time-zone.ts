const MILLIS_PER_SECOND = 1_000;
const MILLIS_PER_HOUR = 3_600_000;
/** Leaves out offsets such as `+08:00`, which PostgreSQL reads with the opposite sign, and abbreviations such as `IST`. */
const IANA_NAME =
  /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Etc|Europe|Indian|Pacific|US)(?:\/[A-Za-z0-9_+-]{2,40}){1,2}$/;
const OFFSET = /([+-])(\d\d):(\d\d)(?::(\d\d))?$/;

/** What the sender of a refused time zone is told. */
export const TIME_ZONE_FORM = 'must be an IANA time zone such as UTC or Asia/Shanghai';

function formatIn(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
}

/** Whether the text is `UTC` or the name of a region's time zone, such as `Asia/Shanghai`. */
export function isTimeZone(name: string): boolean {
  if (name === 'UTC') return true;
  if (!IANA_NAME.test(name)) return false;
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
  const parts = formatIn(timeZone).formatToParts(atMillis);
  const name = parts.find(({ type }) => type === 'timeZoneName')!.value;
  const match = OFFSET.exec(name);
  if (!match) return 0;
  const [, sign, hours, minutes, seconds = '0'] = match;
  const total = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === '-' ? -total : total) * MILLIS_PER_SECOND;
}

/**
 * Returns the first instant of a day in the zone, in milliseconds since 1970.
 * @param utcMidnight midnight of the same date in UTC, in milliseconds since 1970
 */
export function startOfDayMillis(utcMidnight: number, timeZone: string): number {
  const guess = utcMidnight - offsetMillis(timeZone, utcMidnight);
  // The clocks may change between the two midnights.
  return utcMidnight - offsetMillis(timeZone, guess);
}

/** Returns midnight in UTC of the first day of the zone's current month, in milliseconds since 1970. */
export function firstOfMonthMillis(now: Date, timeZone: string): number {
  const local = new Date(now.getTime() + offsetMillis(timeZone, now.getTime()));
  return Date.UTC(local.getUTCFullYear(), local.getUTCMonth());
}

/** Whether the zone is whole hours from UTC in winter and in summer of the given year, so that its days begin with an hour. */
export function hasWholeHourOffsets(timeZone: string, year = new Date().getUTCFullYear()): boolean {
  return [0, 6].every((month) => offsetMillis(timeZone, Date.UTC(year, month)) % MILLIS_PER_HOUR === 0);
}
