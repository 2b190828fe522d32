import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { consoleRoute } from '../../app/router/layout-routes';

export const playgroundRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/playground',
    component: lazyRouteComponent(() => import('./playground-page'), 'PlaygroundPage'),
  }),
] as const;
