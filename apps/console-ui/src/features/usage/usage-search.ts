import { addDays, isDay } from '../../time/calendar-day';

/** What the address of the page holds. */
export const RANGES = ['7d', '30d', '90d', 'month', 'last-month', 'custom'] as const;
export const BUCKETS = ['hour', 'day', 'month'] as const;
export const DIMENSIONS = ['model', 'api_key', 'entrypoint'] as const;

export type Range = (typeof RANGES)[number];
export type Bucket = (typeof BUCKETS)[number];
export type Dimension = (typeof DIMENSIONS)[number];

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
    range: oneOf(RANGES, search['range']),
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
