import { type Schemas } from '../../api/console-api';
import { Figure } from '../../figures/figure';
import { daysBetween } from '../../time/calendar-day';
import { type ChartPoint, type ChartSeries } from '../usage/usage-report';

export type MarginReport = Schemas['MarginReportResponse'];
export type MarginRow = MarginReport['rows'][number];

export const MARGIN_ORDERS = ['revenue', 'cost', 'margin', 'loss', 'share', 'uncosted'] as const;
export type MarginOrder = (typeof MARGIN_ORDERS)[number];

/** What is not known comes last. */
const descending = (one: Figure | null, other: Figure | null): number =>
  one && other ? other.compare(one) : Number(one === null) - Number(other === null);

const COMPARE: Record<MarginOrder, (one: MarginRow, other: MarginRow) => number> = {
  revenue: (one, other) => descending(one.revenue, other.revenue),
  cost: (one, other) => descending(one.cost, other.cost),
  margin: (one, other) => descending(one.margin, other.margin),
  loss: (one, other) => (one.margin && other.margin ? -1 : 1) * descending(one.margin, other.margin),
  share: (one, other) => descending(one.margin_percent, other.margin_percent),
  uncosted: (one, other) => descending(one.calls_without_cost, other.calls_without_cost),
};

/** `loss`: lowest margin first; everything else: highest first. */
export const sortedRows = (rows: readonly MarginRow[], order: MarginOrder): MarginRow[] =>
  rows.toSorted(COMPARE[order]);

/** What the bars of days consist of. Together they are the revenue. */
export const MARGIN_SERIES: ChartSeries[] = [
  { name: 'cost', color: 'orange.6', group: undefined },
  { name: 'margin', color: 'teal.6', group: undefined },
  { name: 'uncosted', color: 'gray.5', group: undefined },
];

/** A bar for each day from the first to the last one that has usage. @param rows by day */
export function marginPoints(rows: readonly MarginRow[]): ChartPoint[] {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];
  const byDay = new Map(rows.map((row) => [row.key, row]));
  return daysBetween(first.key, last.key).map((bucket) => {
    const row = byDay.get(bucket);
    const costs: ChartPoint['costs'] = row
      ? { cost: row.cost, margin: row.margin ?? Figure.zero, uncosted: row.revenue_without_cost }
      : {};
    return { bucket, costs };
  });
}
