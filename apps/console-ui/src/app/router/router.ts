import { createRoute, createRouter, redirect } from '@tanstack/react-router';
import { recoveryRoutes } from '../../features/account-recovery/recovery-routes';
import { keyRoutes } from '../../features/keys/key-routes';
import { pricingRoutes } from '../../features/pricing/pricing-routes';
import { signInRoutes } from '../../features/sign-in/sign-in-routes';
import { FailedPage } from '../../layout/failures/failed-page';
import { NotFoundPage } from '../../layout/failures/not-found-page';
import { type Session } from '../../session/session';
import { consoleRoute, HOME, publicRoute, rootRoute } from './layout-routes';

const startRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: HOME });
  },
});

/** Whatever has no page. */
const notFoundRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '$',
  component: NotFoundPage,
});

const routeTree = rootRoute.addChildren([
  startRoute,
  publicRoute.addChildren([...signInRoutes, ...recoveryRoutes, ...pricingRoutes, notFoundRoute]),
  consoleRoute.addChildren([...keyRoutes]),
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

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
