import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { consoleRoute } from '../../app/router/layout-routes';

export const walletRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/top-up',
    component: lazyRouteComponent(() => import('./top-up/top-up-page'), 'TopUpPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/payments',
    component: lazyRouteComponent(() => import('./payments/payments-page'), 'PaymentsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/payments/refunds',
    component: lazyRouteComponent(() => import('./refunds/refunds-page'), 'RefundsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/payments/$paymentId',
    component: lazyRouteComponent(() => import('./payments/payment-page'), 'PaymentPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/invoices',
    component: lazyRouteComponent(() => import('./invoices/documents-page'), 'DocumentsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/transactions',
    component: lazyRouteComponent(() => import('./transactions-page'), 'TransactionsPage'),
  }),
] as const;
