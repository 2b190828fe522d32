import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { publicRoute } from '../../app/router/layout-routes';

export const downloadsRoutes = [
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/downloads',
    component: lazyRouteComponent(() => import('./downloads-page'), 'DownloadsPage'),
  }),
] as const;
