import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/router/layout-routes';

export const adminDownloadsRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/downloads',
    component: lazyRouteComponent(() => import('./admin-downloads-page'), 'AdminDownloadsPage'),
  }),
] as const;
