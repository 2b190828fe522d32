import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { consoleRoute } from '../../app/router/layout-routes';
import { requestSearchIn } from './request-search';

export const requestRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/requests',
    validateSearch: requestSearchIn,
    component: lazyRouteComponent(() => import('./requests-page'), 'RequestsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/requests/$requestId',
    component: lazyRouteComponent(() => import('./request-page'), 'RequestPage'),
  }),
] as const;
