import { infiniteQueryOptions } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas } from '../../api/console-api';

export type ChangelogEntry = Schemas['ChangelogEntryResponse'];

const PAGE_ENTRIES = 20;

export const changelogQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: ['changelog'],
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/api/changelog', {
          params: { query: { limit: PAGE_ENTRIES, ...(pageParam !== null && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });
