import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/router/layout-routes';

export const adminChangelogRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/changelog',
    component: lazyRouteComponent(() => import('./admin-changelog-page'), 'AdminChangelogPage'),
  }),
] as const;
