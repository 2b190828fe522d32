import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { consoleRoute } from '../../app/router/layout-routes';

export const overviewRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/overview',
    component: lazyRouteComponent(() => import('./overview-page'), 'OverviewPage'),
  }),
] as const;
