import { infiniteQueryOptions, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { ANNOUNCEMENTS } from '../announcements/announcements';

export type Announcement = Schemas['AnnouncementResponse'];
export type NewAnnouncement = Schemas['NewAnnouncementDto'];
export type AnnouncementContent = Schemas['AnnouncementContentDto'];

const LIST = 'admin-announcements';

export const announcementsQuery = (api: ConsoleApi) =>
  infiniteQueryOptions({
    queryKey: [LIST],
    queryFn: ({ signal, pageParam }) =>
      bodyOf(
        api.GET('/api/admin/announcements', {
          params: { query: pageParam === null ? {} : { cursor: pageParam } },
          signal,
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    staleTime: 0,
  });

const refresh = (queryClient: QueryClient) =>
  Promise.all([LIST, ANNOUNCEMENTS].map((key) => queryClient.invalidateQueries({ queryKey: [key] })));

export function useCreateAnnouncement() {
  const [api, queryClient] = [useConsoleApi(), useQueryClient()];
  return useMutation({
    mutationFn: (body: NewAnnouncement) => bodyOf(api.POST('/api/admin/announcements', { body })),
    onSuccess: () => refresh(queryClient),
  });
}

export function useReplaceAnnouncement() {
  const [api, queryClient] = [useConsoleApi(), useQueryClient()];
  return useMutation({
    mutationFn: ({ id, body }: { id: string; body: AnnouncementContent }) =>
      bodyOf(api.PUT('/api/admin/announcements/{id}', { params: { path: { id } }, body })),
    onSuccess: () => refresh(queryClient),
  });
}

export function useEndAnnouncement() {
  const [api, queryClient] = [useConsoleApi(), useQueryClient()];
  return useMutation({
    mutationFn: (id: string) =>
      bodyOf(api.POST('/api/admin/announcements/{id}/end', { params: { path: { id } } })),
    onSuccess: () => refresh(queryClient),
  });
}
