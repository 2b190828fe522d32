import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/router/layout-routes';

export const adminHealthRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/health',
    component: lazyRouteComponent(() => import('./health-page'), 'HealthPage'),
  }),
] as const;
