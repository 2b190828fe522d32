import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { consoleRoute } from '../../app/router/layout-routes';
import { usageSearchIn } from './usage-search';

export const usageRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/usage',
    validateSearch: usageSearchIn,
    component: lazyRouteComponent(() => import('./usage-page'), 'UsagePage'),
  }),
] as const;
