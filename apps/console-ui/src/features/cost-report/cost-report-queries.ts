import { infiniteQueryOptions, keepPreviousData, queryOptions, useMutation } from '@tanstack/react-query';
import { runActivity } from '../../activities/activity-store';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { addDays } from '../../time/calendar-day';
import { type Period } from '../usage/usage-period';
import { type ReportGroup } from './cost-report-search';

/** `email`: of the account of the group, if there is one and the reader may see it. */
export type CostItem = Schemas['CostReportItem'] & { email?: string | undefined };

export interface CostQuestion extends Period {
  timeZone: string;
  group: ReportGroup;
  /** Accounts are named by their e-mail addresses, which admins may see. */
  hasEmails: boolean;
}

const COST_REPORT = 'cost-report';
/** The most that the services give at once. */
const PAGE_SIZE = 100;

const periodParameters = ({ first, last, timeZone }: CostQuestion) => ({
  from: first,
  // The end of a period is not part of it.
  to: addDays(last, 1),
  time_zone: timeZone,
});

async function readPage(
  api: ConsoleApi,
  query: ReturnType<typeof periodParameters> & { group_by?: string; limit?: number; cursor?: string },
  signal: AbortSignal,
): Promise<Schemas['CostReportResponse']> {
  return (await bodyOf(
    api.GET('/api/cost-report', { signal, params: { query } }),
  )) as Schemas['CostReportResponse'];
}

async function withEmails(api: ConsoleApi, items: CostItem[], signal: AbortSignal): Promise<CostItem[]> {
  const ids = items.flatMap(({ user }) => user ?? []);
  if (ids.length === 0) return items;
  const query = { ids: ids.join(','), limit: PAGE_SIZE };
  const { accounts } = await bodyOf(api.GET('/api/admin/accounts', { signal, params: { query } }));
  const emails = new Map(accounts.map(({ id, email }) => [id, email]));
  return items.map((item) => ({ ...item, email: emails.get(item.user ?? '') }));
}

/** The groups of the report, highest cost first. The answer to the last question stays until the next one is there. */
export const costGroupsQuery = (api: ConsoleApi, question: CostQuestion) =>
  infiniteQueryOptions({
    queryKey: [COST_REPORT, 'groups', question],
    queryFn: async ({ signal, pageParam }) => {
      const query = {
        ...periodParameters(question),
        group_by: question.group,
        limit: PAGE_SIZE,
        ...pageParam,
      };
      const { items, next_cursor } = await readPage(api, query, signal);
      return {
        items: question.hasEmails ? await withEmails(api, items, signal) : items,
        next_cursor,
        question,
      };
    },
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => ({
      question: pages[0]!.question,
      items: pages.flatMap(({ items }) => items),
    }),
    placeholderData: keepPreviousData,
    // Every call of an account changes it.
    staleTime: 0,
  });

/** The sum of all groups. */
export const costTotalQuery = (api: ConsoleApi, question: CostQuestion) => {
  const period = periodParameters(question);
  return queryOptions({
    queryKey: [COST_REPORT, 'total', period],
    queryFn: async ({ signal }) => (await readPage(api, period, signal)).items[0]!,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
};

/** All groups of the report, as the service writes them. */
export function useCostReportCsv(question: CostQuestion, fileName: string) {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: () =>
      runActivity({ kind: 'export', title: fileName, to: '/cost-report' }, async () => {
        const { data } = await api.GET('/api/cost-report', {
          params: { query: { ...periodParameters(question), group_by: question.group } },
          headers: { Accept: 'text/csv' },
          parseAs: 'text',
        });
        return data ?? '';
      }),
    // It may be large, and is saved at once.
    gcTime: 0,
  });
}
