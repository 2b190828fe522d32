import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { consoleRoute } from '../../app/router/layout-routes';

export const keyRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/keys',
    component: lazyRouteComponent(() => import('./keys-page'), 'KeysPage'),
  }),
] as const;
