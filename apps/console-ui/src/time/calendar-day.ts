import { type Language } from '../language/language';

/** Days of the calendar are texts such as `2026-03-08`; months are `2026-03`. Neither has a time zone. */

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const isDay = (text: unknown): text is string => {
  if (typeof text !== 'string' || !DAY.test(text)) return false;
  const date = new Date(text);
  // Browsers take February 30 for March 2.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
};

/** The day on which an instant falls in a time zone. */
export function dayOf(instant: Date | string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const parts = Object.fromEntries(
    format.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]),
  );
  return `${parts['year']}-${parts['month']}-${parts['day']}`;
}

export function addDays(day: string, count: number): string {
  const date = new Date(day);
  date.setUTCDate(date.getUTCDate() + count);
  return date.toISOString().slice(0, DAY_LENGTH);
}
const DAY_LENGTH = '2026-03-08'.length;
const YEAR_LENGTH = '2026-'.length;

/** All days from the first to the last, both included. */
export function daysBetween(first: string, last: string): string[] {
  const days: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day);
  return days;
}

/** A day or a month as people read it. `short`: for the axis of a chart. */
export function formatDay(dayOrMonth: string, language: Language, short = false): string {
  if (language === 'zh-CN') return short && isDay(dayOrMonth) ? dayOrMonth.slice(YEAR_LENGTH) : dayOrMonth;
  const isMonth = !isDay(dayOrMonth);
  return new Intl.DateTimeFormat(language, {
    timeZone: 'UTC',
    month: 'short',
    ...(isMonth || !short ? { year: 'numeric' } : {}),
    ...(isMonth ? {} : { day: 'numeric' }),
  }).format(new Date(dayOrMonth));
}

/** The instant at which clocks in the time zone show a time such as `2026-03-08T09:30`; of two the first, of none that an hour later. */
export function instantOf(localTime: string, timeZone: string): Date {
  const shown = Date.parse(`${localTime}Z`);
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const aheadAt = (millis: number) => {
    const parts = Object.fromEntries(format.formatToParts(millis).map(({ type, value }) => [type, value]));
    const { year, month, day, hour, minute } = parts;
    return (
      Date.parse(`${year}-${month}-${day}T${hour}:${minute}Z`) -
      Math.floor(millis / MINUTE_MILLIS) * MINUTE_MILLIS
    );
  };
  // Zones change their clocks at most once within two days.
  const [before, after] = [aheadAt(shown - DAY_MILLIS), aheadAt(shown + DAY_MILLIS)];
  const [first, second] = [shown - before, shown - after];
  return new Date(aheadAt(first) === before || aheadAt(second) !== after ? first : second);
}
const MINUTE_MILLIS = 60_000;
const DAY_MILLIS = 24 * 60 * MINUTE_MILLIS;
