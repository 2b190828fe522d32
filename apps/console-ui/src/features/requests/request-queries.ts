import { infiniteQueryOptions, keepPreviousData, queryOptions, useMutation } from '@tanstack/react-query';
import { runActivity } from '../../activities/activity-store';
import { toApiError } from '../../api/api-error';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { addDays } from '../../time/calendar-day';
import { withoutGaps } from '../usage/usage-search';
import { type RequestSearch } from '../usage/request-search';

/** What only the operator sees. */
type OperatorFacts = Partial<Pick<Schemas['OperatorRequestResponse'], 'upstream' | 'time_to_first_byte_ms'>>;
export type LoggedRequest = Schemas['RequestResponse'] & OperatorFacts;
export type RequestDetail = Schemas['RequestDetailResponse'] & OperatorFacts;
export type RequestLine = Schemas['RequestLineResponse'];

export const REQUESTS_FILE = 'requests.csv';
/** A call is in the request log when it is settled, some moments after its end. */
const MOST_COST_RETRIES = 8;
const COST_RETRY_MILLIS = 700;
/** The most that the service gives at once. */
const PAGE_SIZE = 100;

/** The parameters of the service; the end of a period is not part of it. */
export function filterOf(
  { from, to, key, status, zone: _zone, ...filters }: RequestSearch,
  timeZone: string,
) {
  const ending = status === 'refused' || status === 'failed' ? { status } : withoutGaps({ outcome: status });
  const renamed = withoutGaps({ from, to: to && addDays(to, 1), api_key_id: key });
  return { ...renamed, ...ending, ...filters, time_zone: timeZone };
}

export const requestsQuery = (api: ConsoleApi, search: RequestSearch, timeZone: string) =>
  infiniteQueryOptions({
    queryKey: ['requests', search, timeZone],
    queryFn: async ({ signal, pageParam }) => {
      const query = { ...filterOf(search, timeZone), ...pageParam, limit: PAGE_SIZE };
      const body = await bodyOf(api.GET('/api/billing/requests', { signal, params: { query } }));
      return body as Schemas['RequestListResponse'];
    },
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => ({
      requests: pages.flatMap(({ requests }) => requests),
      archivedUntil: pages.at(-1)?.archived_until ?? null,
    }),
    placeholderData: keepPreviousData,
    // Every call changes it.
    staleTime: 0,
  });

/** All calls that the filters select, as the service writes them. */
export function useRequestsCsv(search: RequestSearch, timeZone: string) {
  const api = useConsoleApi();
  return useMutation({
    mutationFn: () =>
      runActivity({ kind: 'export', title: REQUESTS_FILE, to: '/requests' }, async () => {
        const { data } = await api.GET('/api/billing/requests', {
          params: { query: filterOf(search, timeZone) },
          headers: { Accept: 'text/csv' },
          parseAs: 'text',
        });
        return data ?? '';
      }),
    // It may be large, and is saved at once.
    gcTime: 0,
  });
}

export const requestQuery = (api: ConsoleApi, requestId: string) =>
  queryOptions({
    queryKey: ['request', requestId],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/billing/requests/{requestId}', { signal, params: { path: { requestId } } })),
    // What was charged never changes.
    staleTime: Infinity,
  });

/** A call of the request log, waited for. */
export const requestCostQuery = (api: ConsoleApi, requestId: string) =>
  queryOptions({
    queryKey: ['request-cost', requestId],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/billing/requests/{requestId}', { signal, params: { path: { requestId } } })),
    retry: (failures, error) => {
      const { status, isTransient } = toApiError(error);
      return failures < MOST_COST_RETRIES && (status === 404 || isTransient);
    },
    retryDelay: COST_RETRY_MILLIS,
    staleTime: Infinity,
  });
