import { type Language } from '../language/language';
import { isDay } from './calendar-day';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const LONG_MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** The year first: what follows is the month in every country. `2026-11-28`, `2026/11/28`, `2026.11.28`, `2026年11月28日`. */
const YEAR_FIRST = /^(\d{4})(?:-(\d\d)-|([/.])(\d{1,2})\3|年(\d{1,2})月)(\d{1,2})(日?)$/;
/** `Nov 28, 2026`. */
const MONTH_FIRST = /^([a-z]+)\.? (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})$/;
/** `28 Nov 2026`. */
const DAY_FIRST = /^(\d{1,2})(?:st|nd|rd|th)? ([a-z]+)\.?,? (\d{4})$/;

/** From 1, or 0 for what is no month. */
function monthOf(name: string): number {
  // A usual fourth letter of it.
  const short = name === 'sept' ? 'sep' : name;
  return Math.max(MONTHS.indexOf(short), LONG_MONTHS.indexOf(short)) + 1;
}

function dayIfThere(year: string, month: string | number, day: string): string | null {
  const text = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isDay(text) ? text : null;
}

/**
 * The day that somebody has typed, such as `2026-11-28`: with the year first in every language, in English also with the name of
 * the month. Null for anything else, and for digits of which the day and the month could be swapped.
 */
export function typedDay(typed: string, language: Language): string | null {
  const text = typed.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase();
  const numeric = YEAR_FIRST.exec(text.replace(/\s*([年月日])\s*/g, '$1'));
  if (numeric) {
    const [, year = '', dashed, , separated, chinese, day = '', end] = numeric;
    // `日` belongs to `年` and `月`, which are written without it too.
    if (end && !chinese) return null;
    return dayIfThere(year, dashed ?? separated ?? chinese ?? '', day);
  }
  if (language !== 'en') return null;
  const [, month = '', day = '', year = ''] = MONTH_FIRST.exec(text) ?? [];
  if (year) return dayIfThere(year, monthOf(month), day);
  const [, dayBefore = '', monthAfter = '', yearAfter = ''] = DAY_FIRST.exec(text) ?? [];
  return yearAfter ? dayIfThere(yearAfter, monthOf(monthAfter), dayBefore) : null;
}

/** Hours and minutes that somebody has typed, such as `9:30`, as `09:30`. Null for anything else. */
export function typedTime(typed: string): string | null {
  const [, hour = '', minute = ''] = /^(\d{1,2}):(\d\d)$/.exec(typed.normalize('NFKC').trim()) ?? [];
  if (hour === '' || Number(hour) > LAST_HOUR || Number(minute) > LAST_MINUTE) return null;
  return `${hour.padStart(2, '0')}:${minute}`;
}
const LAST_HOUR = 23;
const LAST_MINUTE = 59;
