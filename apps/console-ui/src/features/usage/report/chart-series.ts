import { Figure } from '../../../figures/figure';
import { type Group, type UsageReport } from './usage-report';

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
