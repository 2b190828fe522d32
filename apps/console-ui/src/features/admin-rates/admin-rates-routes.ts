import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/router/layout-routes';

export const adminRatesRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/exchange-rates',
    component: lazyRouteComponent(() => import('./admin-rates-page'), 'AdminRatesPage'),
  }),
] as const;
