import { createRoute, createRouter, type RouterHistory } from '@tanstack/react-router';
import { type Session } from '../api/session';
import { lazyRouteComponent } from '../components/lazy-file';
import { adminRoutes } from '../features/admin-routes';
import { analystRoutes, consoleRoutes } from '../features/console-routes';
import { adminRoute, analystRoute, consoleRoute, publicRoute, rootRoute } from '../features/layout-routes';
import { publicRoutes } from '../features/public-routes';
import { FailedPage, NotFoundPage, WaitingPage } from '../layout/failures';
import { PublicLayout } from '../layout/public-layout';

// The frames of the pages. A layout shows what features offer, so no feature imports one.
rootRoute.update({ errorComponent: FailedPage });
publicRoute.update({ component: PublicLayout });
consoleRoute.update({
  component: lazyRouteComponent(() => import('../layout/console-layout'), 'ConsoleLayout'),
});
adminRoute.update({ component: lazyRouteComponent(() => import('../layout/role-gate'), 'StaffGate') });
analystRoute.update({ component: lazyRouteComponent(() => import('../layout/role-gate'), 'StaffGate') });

/** Whatever has no page. */
const notFoundRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '$',
  component: NotFoundPage,
});

const routeTree = rootRoute.addChildren([
  publicRoute.addChildren([...publicRoutes, notFoundRoute]),
  consoleRoute.addChildren([
    ...consoleRoutes,
    analystRoute.addChildren([...analystRoutes]),
    adminRoute.addChildren([...adminRoutes]),
  ]),
]);

/** `history`: where there is no browser. */
export const createAppRouter = (session: Session, history?: RouterHistory) =>
  createRouter({
    routeTree,
    context: { session },
    ...(history && { history }),
    defaultPreload: 'intent',
    // It writes a script into HTML, which the policy of the pages forbids.
    scrollRestoration: !history,
    defaultErrorComponent: FailedPage,
    defaultPendingComponent: WaitingPage,
    defaultNotFoundComponent: NotFoundPage,
  });

export type AppRouter = ReturnType<typeof createAppRouter>;

/** Asks for the code of the page at the address, which the router itself does only when it is rendered. */
export function preloadPage(router: AppRouter): void {
  const [matchedRoutes] = router.getMatchedRoutes(router.latestLocation.pathname);
  // What cannot be loaded is asked for again, and then tells it.
  for (const route of matchedRoutes) void router.loadRouteChunk(route)?.catch(() => undefined);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter;
  }
}
