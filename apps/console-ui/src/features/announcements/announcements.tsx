import { useQuery } from '@tanstack/react-query';
import { lazy } from 'react';
import { useConsoleApi } from '../../api/console-api';
import { useSessionState } from '../../api/session';
import { fileLoader, OptionalPart } from '../../components/lazy-file';
import { announcementsQuery } from './announcements-query';

// Most of the time there is none.
const AnnouncementList = lazy(fileLoader(() => import('./announcement-list')));

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
