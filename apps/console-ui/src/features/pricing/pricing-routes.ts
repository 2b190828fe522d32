import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { publicRoute } from '../../app/router/layout-routes';

export const pricingRoutes = [
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/pricing',
    component: lazyRouteComponent(() => import('./pricing-page'), 'PricingPage'),
  }),
] as const;
