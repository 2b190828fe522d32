import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/router/layout-routes';

export const adminReleasesRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/releases',
    component: lazyRouteComponent(() => import('./admin-releases-page'), 'AdminReleasesPage'),
  }),
] as const;
