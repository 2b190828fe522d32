import { type QueryClient, QueryClientProvider, QueryErrorResetBoundary } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, useEffect, useSyncExternalStore } from 'react';
import { Group, Skeleton, Alert } from '@mantine/core';
import { CloudOff } from 'lucide-react';
import { activityStore } from '../activities/activity-store';
import { type ConsoleApi, ConsoleApiProvider } from '../api/console-api';
import { type Session, SessionProvider, useSession } from '../api/session';
import { type RuntimeConfig, RuntimeConfigProvider } from '../api/site';
import { FailureBoundary } from '../layout/failures';
import { TimeZoneProvider } from '../time/time';
import { type AppRouter } from './router';
import classes from '../layout/layout.module.css';
import { useLayoutTexts } from '../layout/layout-texts';

export interface AppParts {
  config: RuntimeConfig;
  session: Session;
  api: ConsoleApi;
  queryClient: QueryClient;
  router: AppRouter;
}

export function App({ config, session, api, queryClient, router }: AppParts) {
  // What belongs to an account must not outlive its session.
  useEffect(() => {
    let { status } = session.getState();
    return session.subscribe(() => {
      const previous = status;
      ({ status } = session.getState());
      if (status === previous) return;
      if (status === 'signed-out') {
        queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'site' });
        activityStore.clearAll();
      }
      void router.invalidate();
    });
  }, [session, queryClient, router]);

  return (
    <RuntimeConfigProvider value={config}>
      <SessionProvider value={session}>
        <ConsoleApiProvider value={api}>
          <QueryClientProvider client={queryClient}>
            <QueryErrorResetBoundary>
              {({ reset }) => (
                <FailureBoundary onReset={reset}>
                  <Suspense fallback={<ShellSkeleton />}>
                    <TimeZoneProvider>
                      <RouterProvider router={router} />
                      <SignOutNotice />
                    </TimeZoneProvider>
                  </Suspense>
                </FailureBoundary>
              )}
            </QueryErrorResetBoundary>
          </QueryClientProvider>
        </ConsoleApiProvider>
      </SessionProvider>
    </RuntimeConfigProvider>
  );
}

/** The header of every page, while the console is asked what the site is. */
function ShellSkeleton() {
  return (
    <div className={classes.header} aria-busy>
      <Group>
        <Skeleton height={24} width={180} />
      </Group>
    </div>
  );
}

/** Says that the console does not know of the sign-out yet: somebody else could use the session of this browser. */
function SignOutNotice() {
  const t = useLayoutTexts();
  const session = useSession();
  const isPending = useSyncExternalStore(
    session.subscribe,
    () => session.isSignOutPending,
    () => false,
  );
  return (
    <div role="status" className={classes.notice}>
      {isPending && (
        <Alert variant="default" icon={<CloudOff size={18} />} title={t('signOut.pending.title')}>
          {t('signOut.pending.text')}
        </Alert>
      )}
    </div>
  );
}
