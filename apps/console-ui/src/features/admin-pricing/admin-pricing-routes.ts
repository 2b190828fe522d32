import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/router/layout-routes';

export const adminPricingRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/pricing',
    component: lazyRouteComponent(() => import('./admin-pricing-page'), 'ModelPricesPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/pricing/gpus',
    component: lazyRouteComponent(() => import('./admin-pricing-page'), 'GpuPricesPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/pricing/training',
    component: lazyRouteComponent(() => import('./admin-pricing-page'), 'TrainingPricesPage'),
  }),
] as const;
