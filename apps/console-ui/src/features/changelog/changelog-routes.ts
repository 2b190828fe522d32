import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { publicRoute } from '../../app/router/layout-routes';

export const changelogRoutes = [
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/changelog',
    component: lazyRouteComponent(() => import('./changelog-page'), 'ChangelogPage'),
  }),
] as const;
