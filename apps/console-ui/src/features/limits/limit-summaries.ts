import { type Schemas } from '../../api/console-api';
import { Figure } from '../../figures/figure';
import { daysBetween } from '../../time/calendar-day';

export type History = Schemas['LimitHistoryResponse'];
export type HistoryLine = History['limits'][number];
type HistoryDay = HistoryLine['days'][number];

/** One limit over all days. */
export interface LimitSummary {
  id: string;
  line: HistoryLine;
  /** The day on which the largest part of the limit was used; of several the newest. */
  fullest: HistoryDay;
  refusals: Figure;
}

/** In percent, for the eye. */
export const shareOf = ({ used, limit }: { used: Figure; limit: Figure }): number =>
  Math.min(100, (used.toScreenNumber() / limit.toScreenNumber()) * 100);

export function summariesOf({ limits }: Pick<History, 'limits'>): LimitSummary[] {
  return limits.map((line) => ({
    id: [line.scope, line.model ?? line.api_key_id, line.name].join(' '),
    line,
    fullest: line.days.reduce((fullest, day) => (shareOf(day) >= shareOf(fullest) ? day : fullest)),
    refusals: Figure.sum(line.days.map(({ refusals }) => refusals)),
  }));
}

/** What is shown first: the limit that has refused most, or else the one of which the largest part was used. */
export const mostUsed = (summaries: readonly LimitSummary[]): LimitSummary | undefined =>
  [...summaries].sort((a, b) => b.refusals.compare(a.refusals) || shareOf(b.fullest) - shareOf(a.fullest))[0];

/** A bar of the chart: a day, also one without use. */
export interface HistoryPoint {
  day: string;
  /** Undefined: nothing was used. */
  use: HistoryDay | undefined;
}

export function pointsOf(
  { days }: Pick<HistoryLine, 'days'>,
  { from, to }: Pick<History, 'from' | 'to'>,
): HistoryPoint[] {
  const useOf = new Map(days.map((use) => [use.day, use]));
  return daysBetween(from, to).map((day) => ({ day, use: useOf.get(day) }));
}
