import { type QueryClient, QueryClientProvider, QueryErrorResetBoundary } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { activityStore } from '../activities/activity-store';
import { type ConsoleApi, ConsoleApiProvider } from '../api/console-api';
import { type Session, SessionProvider } from '../api/session';
import { type RuntimeConfig, RuntimeConfigProvider } from '../api/site';
import { FailureBoundary } from '../layout/failures';
import { ShellSkeleton } from '../layout/shell-skeleton';
import { SignOutNotice } from '../layout/sign-out-notice';
import { TimeZoneProvider } from '../time/time';
import { type AppRouter } from './router';

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
