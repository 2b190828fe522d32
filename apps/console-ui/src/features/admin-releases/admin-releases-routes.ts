import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/router/admin-route';

export const adminReleasesRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/releases',
    component: lazyRouteComponent(() => import('./admin-releases-page'), 'AdminReleasesPage'),
  }),
] as const;
