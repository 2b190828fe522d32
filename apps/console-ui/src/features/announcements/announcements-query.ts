import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { bodyOf, type ConsoleApi, useConsoleApi } from '../../api/console-api';

export const ANNOUNCEMENTS = 'announcements';
/** Chosen: a tab that stays open all day tells of an incident in time. */
const REFRESH_MILLIS = 5 * 60_000;

export const announcementsQuery = (api: ConsoleApi, isSignedIn: boolean) =>
  queryOptions({
    queryKey: [ANNOUNCEMENTS, isSignedIn],
    queryFn: async ({ signal }) =>
      (isSignedIn
        ? await bodyOf(api.GET('/api/account/announcements', { signal }))
        : await bodyOf(api.GET('/api/announcements', { signal }))
      ).announcements,
    refetchInterval: REFRESH_MILLIS,
  });

export function useDismiss() {
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      api.POST('/api/account/announcements/{id}/dismiss', { params: { path: { id } } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: [ANNOUNCEMENTS] }),
  });
}
