import { addDays, isDay } from '../../time/calendar-day';

/** Ranges of whole days. */
export const RANGES = ['today', '7d', '30d', '90d', 'month', 'last-month', 'custom'] as const;
/** Those of the usage page, which also knows one that begins at any time. */
export const USAGE_RANGES: readonly Range[] = ['today', '24h', ...RANGES.slice(1)];
export const BUCKETS = ['hour', 'day', 'month'] as const;
export const DIMENSIONS = ['model', 'api_key', 'entrypoint'] as const;

export type Range = (typeof RANGES)[number] | '24h';
export type Bucket = (typeof BUCKETS)[number];
export type Dimension = (typeof DIMENSIONS)[number];

/** What the address of the page holds. */
export interface UsageSearch {
  range?: Range;
  /** First and last day of the range `custom`, both included. */
  from?: string;
  to?: string;
  bucket?: Bucket;
  group?: Dimension;
  model?: string;
  /** Id of an API key, or `none`. */
  key?: string;
  entrypoint?: string;
  /** IANA name of a time zone. */
  zone?: string;
}

export interface Period {
  /** First and last day, both included. */
  first: string;
  last: string;
  /** When the period begins and that it ends now, if it is not made of whole days. ISO 8601. */
  since?: string;
}

const RANGE_DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const;
const MONTH_LENGTH = '2026-03'.length;

const oneOf = <Value extends string>(values: readonly Value[], text: unknown) =>
  values.find((value) => value === text);
/** Addresses hold numbers as numbers. */
const textIn = (value: unknown) =>
  value === undefined || value === '' ? undefined : String(value as string);
const dayIn = (value: unknown) => (isDay(value) ? value : undefined);

export const isTimeZone = (name: string): boolean => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
};

/** Reads the address. What is not understood is left out. */
export function usageSearchIn(search: Record<string, unknown>): UsageSearch {
  const zone = textIn(search['zone']);
  return withoutGaps({
    range: oneOf(USAGE_RANGES, search['range']),
    from: dayIn(search['from']),
    to: dayIn(search['to']),
    bucket: oneOf(BUCKETS, search['bucket']),
    group: oneOf(DIMENSIONS, search['group']),
    model: textIn(search['model']),
    key: textIn(search['key']),
    entrypoint: textIn(search['entrypoint']),
    zone: zone !== undefined && isTimeZone(zone) ? zone : undefined,
  });
}

/** The same without members that are undefined. */
export const withoutGaps = <Values extends object>(values: Values) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: Exclude<Values[Name], undefined>;
  };

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
