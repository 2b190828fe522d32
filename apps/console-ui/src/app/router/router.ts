import { createRoute, createRouter } from '@tanstack/react-router';
import { recoveryRoutes } from '../../features/account-recovery/recovery-routes';
import { adminAccountRoutes } from '../../features/admin-accounts/account-routes';
import { adminEventRoutes } from '../../features/admin-events/event-routes';
import { adminHealthRoutes } from '../../features/admin-health/health-routes';
import { adminPaymentRoutes } from '../../features/admin-payments/payment-routes';
import { adminChangelogRoutes } from '../../features/admin-changelog/admin-changelog-routes';
import { adminDownloadsRoutes } from '../../features/admin-downloads/admin-downloads-routes';
import { adminPackagesRoutes } from '../../features/admin-packages/admin-packages-routes';
import { adminPricingRoutes } from '../../features/admin-pricing/admin-pricing-routes';
import { adminRatesRoutes } from '../../features/admin-rates/admin-rates-routes';
import { adminReleasesRoutes } from '../../features/admin-releases/admin-releases-routes';
import { agentRoutes } from '../../features/agents/agent-routes';
import { changelogRoutes } from '../../features/changelog/changelog-routes';
import { costReportRoutes } from '../../features/cost-report/cost-report-routes';
import { downloadsRoutes } from '../../features/downloads/downloads-routes';
import { keyRoutes } from '../../features/keys/key-routes';
import { landingRoutes } from '../../features/landing/landing-routes';
import { modelsRoutes } from '../../features/models/models-routes';
import { overviewRoutes } from '../../features/overview/overview-routes';
import { playgroundRoutes } from '../../features/playground/playground-routes';
import { pricingRoutes } from '../../features/pricing/pricing-routes';
import { requestRoutes } from '../../features/requests/request-routes';
import { settingsRoutes } from '../../features/settings/settings-routes';
import { signInRoutes } from '../../features/sign-in/sign-in-routes';
import { trainingRoutes } from '../../features/training/training-routes';
import { usageRoutes } from '../../features/usage/usage-routes';
import { walletRoutes } from '../../features/wallet/wallet-routes';
import { workspaceRoutes } from '../../features/workspaces/workspace-routes';
import { FailedPage } from '../../layout/failures/failed-page';
import { NotFoundPage } from '../../layout/failures/not-found-page';
import { type Session } from '../../session/session';
import { adminRoute, analystRoute, consoleRoute, publicRoute, rootRoute } from './layout-routes';

/** Whatever has no page. */
const notFoundRoute = createRoute({
  getParentRoute: () => publicRoute,
  path: '$',
  component: NotFoundPage,
});

const routeTree = rootRoute.addChildren([
  publicRoute.addChildren([
    ...landingRoutes,
    ...signInRoutes,
    ...recoveryRoutes,
    ...modelsRoutes,
    ...pricingRoutes,
    ...downloadsRoutes,
    ...changelogRoutes,
    notFoundRoute,
  ]),
  consoleRoute.addChildren([
    ...overviewRoutes,
    ...keyRoutes,
    ...playgroundRoutes,
    ...agentRoutes,
    ...workspaceRoutes,
    ...trainingRoutes,
    ...requestRoutes,
    ...usageRoutes,
    ...walletRoutes,
    ...settingsRoutes,
    analystRoute.addChildren([...costReportRoutes]),
    adminRoute.addChildren([
      ...adminAccountRoutes,
      ...adminPaymentRoutes,
      ...adminEventRoutes,
      ...adminHealthRoutes,
      ...adminPricingRoutes,
      ...adminRatesRoutes,
      ...adminPackagesRoutes,
      ...adminReleasesRoutes,
      ...adminChangelogRoutes,
      ...adminDownloadsRoutes,
    ]),
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
