import { addDays } from '../../time/calendar-day';
import { type UsageSearch } from './usage-search';

export interface Period {
  /** First and last day, both included. */
  first: string;
  last: string;
  /** When the period begins and that it ends now, if it is not made of whole days. ISO 8601. */
  since?: string;
}

const RANGE_DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const;
const MONTH_LENGTH = '2026-03'.length;

/** The days of a range. `today`: in the time zone of the page. */
export function periodOf({ range = '30d', from, to }: UsageSearch, today: string): Period {
  const month = today.slice(0, MONTH_LENGTH);
  switch (range) {
    case 'today':
      return { first: today, last: today };
    case '24h':
      return { first: addDays(today, -1), last: today };
    case 'month':
      return { first: `${month}-01`, last: today };
    case 'last-month': {
      const last = addDays(`${month}-01`, -1);
      return { first: `${last.slice(0, MONTH_LENGTH)}-01`, last };
    }
    case 'custom': {
      const last = to ?? today;
      return { first: from ?? addDays(last, 1 - RANGE_DAYS['30d']), last };
    }
    default:
      return { first: addDays(today, 1 - RANGE_DAYS[range]), last: today };
  }
}

const MINUTE_MILLIS = 60_000;
const DAY_MILLIS = 86_400_000;

/** The period of a range on the usage page. */
export function usagePeriodOf(search: UsageSearch, now: Date, dayOf: (instant: Date) => string): Period {
  const period = periodOf(search, dayOf(now));
  if (search.range !== '24h') return period;
  // By the minute, so that the question does not change all the time.
  const minute = now.getTime() - (now.getTime() % MINUTE_MILLIS);
  return { ...period, since: new Date(minute - DAY_MILLIS).toISOString() };
}

/** What a period is compared with: days or instants of the same time zone, the end excluded. */
export interface PeriodBefore {
  from: string;
  to: string;
}

/**
 * The period before one: as long, and if the period is still running only as much of it. Months are compared with the month before, also
 * where that is shorter.
 */
export function periodBefore(
  search: UsageSearch,
  { first, last, since }: Period,
  now: Date,
  today: string,
): PeriodBefore {
  if (since !== undefined) {
    return { from: new Date(Date.parse(since) - DAY_MILLIS).toISOString(), to: since };
  }
  const isMonth = search.range === 'month' || search.range === 'last-month';
  const from = isMonth ? firstOfMonthBefore(first) : addDays(first, -dayCount(first, last));
  const days = dayCount(from, first) - 1;
  if (last < today || addDays(today, -days) >= first) return { from, to: first };
  const shifted = now.getTime() - days * DAY_MILLIS;
  return { from, to: new Date(shifted - (shifted % MINUTE_MILLIS)).toISOString() };
}

const firstOfMonthBefore = (first: string) => `${addDays(first, -1).slice(0, MONTH_LENGTH)}-01`;
const dayCount = (first: string, last: string) => (Date.parse(last) - Date.parse(first)) / DAY_MILLIS + 1;
