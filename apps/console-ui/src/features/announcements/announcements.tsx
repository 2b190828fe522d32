import { queryOptions, useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { bodyOf, type ConsoleApi, useConsoleApi } from '../../api/console-api';
import { useSessionState } from '../../api/session';
import { fileLoader, OptionalPart } from '../../components/lazy-file';

// Most of the time there is none.
const AnnouncementList = lazy(fileLoader(() => import('./announcement-list')));

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

/** What staff tells customers now, above all pages. Visitors see what is for everybody. */
export function Announcements() {
  const isSignedIn = useSessionState().status === 'signed-in';
  const { data = [] } = useQuery(announcementsQuery(useConsoleApi(), isSignedIn));
  if (data.length === 0) return null;
  return (
    <OptionalPart>
      <AnnouncementList announcements={data} isSignedIn={isSignedIn} />
    </OptionalPart>
  );
}
