import { infiniteQueryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas } from '../../api/console-api';
import { withoutGaps } from '../usage/usage-search';
import { type EventSearch } from './event-search';

export type AuditEvent = Schemas['AuditEventResponse'];

export const allEventsQuery = (api: ConsoleApi, { account, type }: EventSearch) =>
  infiniteQueryOptions({
    queryKey: ['admin-events', { account, type }],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...pageParam, ...withoutGaps({ account_id: account, type }) };
      return bodyOf(api.GET('/api/admin/events', { signal, params: { query } }));
    },
    initialPageParam: {} as { cursor?: string },
    getNextPageParam: ({ next_cursor: cursor }) => (cursor === null ? undefined : { cursor }),
    staleTime: 0,
  });
