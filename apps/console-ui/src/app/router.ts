import { createRoute, createRouter } from '@tanstack/react-router';
import { adminRoutes } from '../features/admin-routes';
import { analystRoutes, consoleRoutes } from '../features/console-routes';
import { publicRoutes } from '../features/public-routes';
import { FailedPage, NotFoundPage } from '../layout/failures';
import { type Session } from '../session/session';
import { adminRoute, analystRoute, consoleRoute, publicRoute, rootRoute } from './layout-routes';

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

export const createAppRouter = (session: Session) =>
  createRouter({
    routeTree,
    context: { session },
    defaultPreload: 'intent',
    scrollRestoration: true,
    defaultErrorComponent: FailedPage,
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
