import {
  infiniteQueryOptions,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, type Schemas, useConsoleApi } from '../../api/console-api';
import { ANNOUNCEMENTS } from '../announcements/announcements-query';

export type Announcement = Schemas['AnnouncementResponse'];
export type NewAnnouncement = Schemas['NewAnnouncementDto'];
export type AnnouncementContent = Schemas['AnnouncementContentDto'];
export type Mailing = Schemas['MailingDto'];

const LIST = 'admin-announcements';
/** Chosen: half of the interval in which mails are requested. */
const PROGRESS_MILLIS = 5_000;

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
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ announcements }) =>
        announcements.some(({ mailing }) => mailing?.state === 'sending'),
      )
        ? PROGRESS_MILLIS
        : false,
  });

/** How many accounts would get it by mail now. */
export const mailingCountQuery = (api: ConsoleApi, id: string, body: Mailing) =>
  queryOptions({
    queryKey: [LIST, 'recipients', id, body.used_model, body.active_within_days?.toString(), body.tier],
    queryFn: ({ signal }) =>
      bodyOf(
        api.POST('/api/admin/announcements/{id}/mailing/count', { params: { path: { id } }, body, signal }),
      ),
    staleTime: 0,
    retry: false,
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

export function useMailAnnouncement() {
  const [api, queryClient] = [useConsoleApi(), useQueryClient()];
  return useMutation({
    mutationFn: ({ id, body }: { id: string; body: Mailing }) =>
      bodyOf(api.POST('/api/admin/announcements/{id}/mailing', { params: { path: { id } }, body })),
    onSuccess: () => refresh(queryClient),
  });
}

export function useCancelMailing() {
  const [api, queryClient] = [useConsoleApi(), useQueryClient()];
  return useMutation({
    mutationFn: (id: string) =>
      bodyOf(api.POST('/api/admin/announcements/{id}/mailing/cancel', { params: { path: { id } } })),
    onSuccess: () => refresh(queryClient),
  });
}
