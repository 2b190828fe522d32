import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/router/admin-route';

export const adminDownloadsRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/downloads',
    component: lazyRouteComponent(() => import('./admin-downloads-page'), 'AdminDownloadsPage'),
  }),
] as const;
