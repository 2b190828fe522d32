import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { type Component } from '../downloads/release-queries';

export type AdminRelease = Schemas['AdminReleaseResponse'];
export type ReleaseContent = Schemas['PutReleaseDto'];
export type FollowedRepository = Schemas['FollowedRepositoryResponse'];

const RELEASES = ['admin-releases'];
const PAGE_RELEASES = 50;

export const releasesQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: RELEASES,
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/api/admin/releases', {
          params: { query: { limit: PAGE_RELEASES, ...(pageParam !== null && { cursor: pageParam }) } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const followedQuery = (api: ConsoleApi) =>
  queryOptions({
    queryKey: [...RELEASES, 'followed'],
    queryFn: async ({ signal }) =>
      (await bodyOf(api.GET('/api/admin/releases/followed', { signal }))).repositories,
  });

interface ReleasePath {
  component: Component;
  tag: string;
}

function useReleaseChange<Input extends ReleasePath>(
  change: (api: ConsoleApi, input: Input) => Promise<unknown>,
) {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => change(api, input),
    onSuccess: async (_answer, { component }) => {
      // The browser keeps the public answer for a minute otherwise. Without a release it is 404.
      await api.GET(`/api/download/${component}-latest`, { cache: 'reload' }).catch(() => undefined);
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: RELEASES }),
        queryClient.invalidateQueries({ queryKey: ['release', component] }),
      ]);
    },
  });
}

export const usePutRelease = () =>
  useReleaseChange((api, { component, tag, ...body }: ReleasePath & ReleaseContent) =>
    bodyOf(api.PUT('/api/admin/releases/{component}/{tag}', { params: { path: { component, tag } }, body })),
  );

export const useDeleteRelease = () =>
  useReleaseChange((api, { component, tag }: ReleasePath) =>
    api.DELETE('/api/admin/releases/{component}/{tag}', { params: { path: { component, tag } } }),
  );

/** What is stored if only the state of a release changes. */
export const contentOf = ({ name, prerelease, published_at, assets }: AdminRelease, draft: boolean) => ({
  name,
  draft,
  prerelease,
  ...(published_at !== null && { published_at }),
  assets,
});
