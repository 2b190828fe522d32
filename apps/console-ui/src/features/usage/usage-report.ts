import { Figure } from '../../figures/figure';
import { type Currency } from '../../figures/format-figure';
import { addDays, dayOf, daysBetween } from '../../time/calendar-day';
import { PRICE_UNITS } from '../pricing/pricing-queries';
import { type RequestSearch } from './request-search';
import { type Unit, type UsageQuestion, type UsageRow } from './usage-queries';
import { type Period } from './usage-period';
import { type Bucket, type Dimension, withoutGaps } from './usage-search';

/** What calls cost, and what they consumed in each unit of price. */
export interface Sums {
  cost: Figure;
  quantities: Partial<Record<Unit, Figure>>;
}

/** One model, API key or entrypoint. */
export interface Group extends Sums {
  /** As the filter of the dimension takes it. */
  id: string;
  /** Name of an API key. */
  name: string | undefined;
}

export interface Entry extends Group {
  bucket: string;
}

export interface UsageReport {
  /** Of the rows; undefined if there are none. */
  currency: Currency | undefined;
  units: Unit[];
  total: Sums;
  /** Most expensive first. */
  groups: Group[];
  /** Of a bucket and a group, in the order of the rows. */
  entries: Entry[];
}

const NO_KEY = 'none';
const MONTH_LENGTH = '2026-03'.length;
const HOUR_MILLIS = 3_600_000;

const noSums = (): Sums => ({ cost: Figure.zero, quantities: {} });

function add(sums: Sums, { cost, unit, quantity }: UsageRow): void {
  sums.cost = sums.cost.plus(cost);
  sums.quantities[unit] = (sums.quantities[unit] ?? Figure.zero).plus(quantity);
}

/** Names the bucket of a row: an instant for an hour, `2026-03-08` for a day, `2026-03` for a month. */
function bucketOf({ timestamp }: UsageRow, bucket: Bucket, timeZone: string): string {
  if (bucket === 'hour') return timestamp;
  const day = dayOf(timestamp, timeZone);
  return bucket === 'day' ? day : day.slice(0, MONTH_LENGTH);
}

function groupOf(row: UsageRow, dimension: Dimension): Pick<Group, 'id' | 'name'> {
  if (dimension === 'api_key') return { id: row.api_key?.id ?? NO_KEY, name: row.api_key?.name };
  return { id: row[dimension] ?? '', name: undefined };
}

/** Adds the rows up, exactly. */
export function reportOf(
  rows: UsageRow[],
  { dimension, bucket, timeZone }: { dimension: Dimension; bucket: Bucket; timeZone: string },
): UsageReport {
  const total = noSums();
  const groups = new Map<string, Group>();
  const entries = new Map<string, Entry>();
  for (const row of rows) {
    const group = groupOf(row, dimension);
    const place = bucketOf(row, bucket, timeZone);
    const entryKey = `${place} ${group.id}`;
    if (!groups.has(group.id)) groups.set(group.id, { ...group, ...noSums() });
    if (!entries.has(entryKey)) entries.set(entryKey, { ...group, bucket: place, ...noSums() });
    for (const sums of [total, groups.get(group.id)!, entries.get(entryKey)!]) add(sums, row);
  }
  return {
    currency: rows[0]?.currency,
    units: PRICE_UNITS.filter((unit) => total.quantities[unit]),
    total,
    groups: [...groups.values()].sort((one, other) => other.cost.compare(one.cost)),
    entries: [...entries.values()],
  };
}

/** All buckets of a chart in their order, also those without usage. Hours: from the first to the last with usage. */
export function bucketsOf({ entries }: UsageReport, bucket: Bucket, { first, last }: Period): string[] {
  if (bucket === 'day') return daysBetween(first, last);
  if (bucket === 'month')
    return [...new Set(daysBetween(first, last).map((day) => day.slice(0, MONTH_LENGTH)))];
  const hours = entries.map((entry) => Date.parse(entry.bucket)).sort((one, other) => one - other);
  const [from, to] = [hours[0] ?? 0, hours.at(-1) ?? -1];
  return Array.from({ length: Math.floor((to - from) / HOUR_MILLIS) + 1 }, (_, hour) =>
    new Date(from + hour * HOUR_MILLIS).toISOString(),
  );
}

/** The part of the request log that an entry of the report is made of. The log knows whole days: an hour leads to its day. */
export function callsOf(
  { bucket: place, id }: Pick<Entry, 'bucket' | 'id'>,
  { bucket, dimension, timeZone, model, apiKeyId, entrypoint, first, last }: UsageQuestion,
): RequestSearch {
  const [from, to] = bucket === 'month' ? daysOfMonth(place) : daysOf(place, bucket, timeZone);
  return withoutGaps({
    from: from < first ? first : from,
    to: to > last ? last : to,
    model,
    key: apiKeyId,
    entrypoint,
    [dimension === 'api_key' ? 'key' : dimension]: id,
    zone: timeZone,
  });
}

function daysOf(place: string, bucket: 'hour' | 'day', timeZone: string): [string, string] {
  const day = bucket === 'day' ? place : dayOf(place, timeZone);
  return [day, day];
}

function daysOfMonth(month: string): [string, string] {
  const [year, number] = month.split('-').map(Number) as [number, number];
  const next = new Date(Date.UTC(year, number, 1)).toISOString();
  return [`${month}-01`, addDays(dayOf(next, 'UTC'), -1)];
}

/** Groups that have a colour of their own. */
const MOST_SERIES = 7;
const COLORS = ['ink.6', 'teal.6', 'orange.6', 'grape.6', 'cyan.6', 'lime.7', 'pink.6'];
const OTHER_COLOR = 'gray.5';

export interface ChartSeries {
  /** Member of the points. */
  name: string;
  color: string;
  /** The group, or undefined for all others together. */
  group: Group | undefined;
}

export interface ChartPoint {
  bucket: string;
  /** Exact costs by the names of the series. */
  costs: Record<string, Figure>;
}

/** The dearest groups and the sum of all others, in each bucket. */
export function chartOf(
  { groups, entries }: UsageReport,
  buckets: string[],
): { series: ChartSeries[]; points: ChartPoint[] } {
  const shown = groups.slice(0, MOST_SERIES);
  const series: ChartSeries[] = shown.map((group, index) => ({
    name: `group${index}`,
    color: COLORS[index]!,
    group,
  }));
  if (groups.length > shown.length) series.push({ name: 'other', color: OTHER_COLOR, group: undefined });
  const nameOf = new Map(series.map(({ name, group }) => [group?.id, name]));
  const points = new Map(buckets.map((bucket) => [bucket, { bucket, costs: {} } as ChartPoint]));
  for (const { bucket, id, cost } of entries) {
    const costs = points.get(bucket)?.costs;
    const name = nameOf.get(id) ?? 'other';
    if (costs) costs[name] = (costs[name] ?? Figure.zero).plus(cost);
  }
  return { series, points: [...points.values()] };
}
