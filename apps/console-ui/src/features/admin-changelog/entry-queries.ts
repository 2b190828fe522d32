import { infiniteQueryOptions, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { changelogQuery } from '../changelog/changelog-queries';

export type Entry = Schemas['ChangelogEntryResponse'];
export type EntryContent = Schemas['ChangelogEntryDto'];

const PAGE_ENTRIES = 20;
const ENTRIES = ['admin-changelog'];

/** The public list, past the cache of the browser, which keeps it for a minute. */
export const entriesQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: ENTRIES,
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/api/changelog', {
          params: { query: { limit: PAGE_ENTRIES, ...(pageParam !== null && { cursor: pageParam }) } },
          signal,
          cache: 'reload',
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

const refresh = (queryClient: QueryClient, api: ConsoleApi) =>
  Promise.all([
    queryClient.invalidateQueries({ queryKey: ENTRIES }),
    queryClient.invalidateQueries({ queryKey: changelogQuery(api).queryKey }),
  ]);

/** Publishes an entry, or replaces the one with the id. */
export function useSaveEntry(id: string | undefined) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: EntryContent) =>
      id === undefined
        ? bodyOf(api.POST('/api/admin/changelog', { body }))
        : bodyOf(api.PUT('/api/admin/changelog/{id}', { params: { path: { id } }, body })),
    onSuccess: () => refresh(queryClient, api),
  });
}

export function useDeleteEntry() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => api.DELETE('/api/admin/changelog/{id}', { params: { path: { id } } }),
    onSuccess: () => refresh(queryClient, api),
  });
}
