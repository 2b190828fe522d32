import { isDay } from '../../time/calendar-day';

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
