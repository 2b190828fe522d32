import { type Language } from '../language/language';

/** Days of the calendar are texts such as `2026-03-08`; months are `2026-03`. Neither has a time zone. */

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export const isDay = (text: unknown): text is string =>
  typeof text === 'string' && DAY.test(text) && !Number.isNaN(Date.parse(text));

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
