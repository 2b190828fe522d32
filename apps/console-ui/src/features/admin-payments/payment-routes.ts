import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/router/layout-routes';
import { paymentSearchIn, refundSearchIn } from './payment-search';

export const adminPaymentRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/payments',
    validateSearch: paymentSearchIn,
    component: lazyRouteComponent(() => import('./payments-page'), 'AdminPaymentsPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/payments/refunds',
    validateSearch: refundSearchIn,
    component: lazyRouteComponent(() => import('./refunds-page'), 'AdminRefundsPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/payments/$paymentId',
    component: lazyRouteComponent(() => import('./payment-page'), 'AdminPaymentPage'),
  }),
] as const;
