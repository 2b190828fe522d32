import { type UsageSearch, usageSearchIn, withoutGaps } from '../usage/usage-search';

export const GROUPS = ['user', 'model', 'entrypoint', 'api_key'] as const;
export type ReportGroup = (typeof GROUPS)[number];

/** What the address of the page holds. */
export interface CostReportSearch extends Pick<UsageSearch, 'range' | 'from' | 'to' | 'zone'> {
  by?: ReportGroup;
}

/** Reads the address. What is not understood is left out. */
export function costReportSearchIn(search: Record<string, unknown>): CostReportSearch {
  const { range, from, to, zone } = usageSearchIn(search);
  return withoutGaps({ range, from, to, zone, by: GROUPS.find((group) => group === search['by']) });
}
