import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas } from '../../api/console-api';
import { addDays } from '../../time/calendar-day';
import { withoutGaps } from '../usage/usage-search';
import { type RequestSearch } from './request-search';

export type LoggedRequest = Schemas['RequestResponse'];
export type RequestDetail = Schemas['RequestDetailResponse'];
export type RequestLine = Schemas['RequestLineResponse'];

export const requestsQuery = (api: ConsoleApi, search: RequestSearch, timeZone: string) =>
  infiniteQueryOptions({
    queryKey: ['requests', search, timeZone],
    queryFn: async ({ signal, pageParam }) => {
      const { from, to, key, ...filters } = search;
      const query = {
        ...withoutGaps({ from, to: to && addDays(to, 1), api_key_id: key }),
        ...filters,
        ...pageParam,
        time_zone: timeZone,
      };
      const body = await bodyOf(api.GET('/api/billing/requests', { signal, params: { query } }));
      return body as Schemas['RequestListResponse'];
    },
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    select: ({ pages }) => pages.flatMap(({ requests }) => requests),
    placeholderData: keepPreviousData,
    // Every call changes it.
    staleTime: 0,
  });

export const requestQuery = (api: ConsoleApi, requestId: string) =>
  queryOptions({
    queryKey: ['request', requestId],
    queryFn: ({ signal }) =>
      bodyOf(api.GET('/api/billing/requests/{requestId}', { signal, params: { path: { requestId } } })),
    // What was charged never changes.
    staleTime: Infinity,
  });
