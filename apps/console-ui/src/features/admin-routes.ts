import { createRoute } from '@tanstack/react-router';
import { lazyRouteComponent } from '../components/lazy-file';
import { adminRoute } from './layout-routes';
import { eventSearchIn } from './admin-events/event-search';
import { exportSearchIn } from './admin-exports/export-list';
import { paymentSearchIn, refundSearchIn } from './admin-payments/payment-search';
import { requestSearchIn } from './usage/request-search';
import { usageSearchIn } from './usage/usage-search';

const adminModelsRoute = createRoute({ getParentRoute: () => adminRoute, path: '/admin/models' });

export const adminRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/accounts',
    validateSearch: ({ q }: Record<string, unknown>): { q?: string } =>
      q === undefined || q === '' ? {} : { q: String(q as string) },
    component: lazyRouteComponent(() => import('./admin-accounts/accounts-page'), 'AccountsPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/accounts/$accountId',
    validateSearch: usageSearchIn,
    component: lazyRouteComponent(() => import('./admin-accounts/account-page'), 'AccountPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/accounts/$accountId/requests',
    validateSearch: requestSearchIn,
    component: lazyRouteComponent(() => import('./admin-accounts/account-requests'), 'AccountRequestsPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/accounts/$accountId/requests/$requestId',
    component: lazyRouteComponent(() => import('./admin-accounts/account-requests'), 'AccountRequestPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/payments',
    validateSearch: paymentSearchIn,
    component: lazyRouteComponent(() => import('./admin-payments/payments-page'), 'AdminPaymentsPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/payments/refunds',
    validateSearch: refundSearchIn,
    component: lazyRouteComponent(() => import('./admin-payments/refunds-page'), 'AdminRefundsPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/payments/$paymentId',
    component: lazyRouteComponent(() => import('./admin-payments/payment-page'), 'AdminPaymentPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/events',
    validateSearch: eventSearchIn,
    component: lazyRouteComponent(() => import('./admin-events/events-page'), 'AdminEventsPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/dashboard',
    component: lazyRouteComponent(() => import('./admin-dashboard/dashboard-page'), 'DashboardPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/unserved',
    component: lazyRouteComponent(() => import('./admin-unserved/unserved-page'), 'UnservedPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/margin',
    component: lazyRouteComponent(() => import('./admin-margin/margin-page'), 'MarginPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/exports',
    validateSearch: exportSearchIn,
    component: lazyRouteComponent(() => import('./admin-exports/exports-page'), 'ExportsPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/staff',
    component: lazyRouteComponent(() => import('./admin-staff/staff-page'), 'StaffPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/provider-events',
    component: lazyRouteComponent(
      () => import('./admin-provider-events/provider-events-page'),
      'ProviderEventsPage',
    ),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/health',
    component: lazyRouteComponent(() => import('./admin-health/health-page'), 'HealthPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/pricing',
    component: lazyRouteComponent(() => import('./admin-pricing/admin-pricing-page'), 'ModelPricesPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/pricing/gpus',
    component: lazyRouteComponent(() => import('./admin-pricing/admin-pricing-page'), 'GpuPricesPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/pricing/training',
    component: lazyRouteComponent(() => import('./admin-pricing/admin-pricing-page'), 'TrainingPricesPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/pricing/costs',
    validateSearch: ({ upstream }: Record<string, unknown>): { upstream?: string } =>
      typeof upstream === 'string' ? { upstream } : {},
    component: lazyRouteComponent(() => import('./admin-pricing/admin-pricing-page'), 'CostPricesPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/exchange-rates',
    component: lazyRouteComponent(() => import('./admin-rates/admin-rates-page'), 'AdminRatesPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/upstreams',
    component: lazyRouteComponent(() => import('./admin-serving/upstreams-page'), 'UpstreamsPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/served-models',
    component: lazyRouteComponent(() => import('./admin-serving/served-models-page'), 'ServedModelsPage'),
  }),
  // The rest of the path is the slug of a model, which may contain slashes.
  adminModelsRoute.addChildren([
    createRoute({
      getParentRoute: () => adminModelsRoute,
      path: '/',
      component: lazyRouteComponent(() => import('./admin-packages/admin-models-page'), 'AdminModelsPage'),
    }),
    createRoute({
      getParentRoute: () => adminModelsRoute,
      path: '$',
      component: lazyRouteComponent(() => import('./admin-packages/admin-model-page'), 'AdminModelPage'),
    }),
  ]),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/releases',
    component: lazyRouteComponent(() => import('./admin-releases/admin-releases-page'), 'AdminReleasesPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/announcements',
    component: lazyRouteComponent(
      () => import('./admin-announcements/admin-announcements-page'),
      'AdminAnnouncementsPage',
    ),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/changelog',
    component: lazyRouteComponent(
      () => import('./admin-changelog/admin-changelog-page'),
      'AdminChangelogPage',
    ),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/downloads',
    component: lazyRouteComponent(
      () => import('./admin-downloads/admin-downloads-page'),
      'AdminDownloadsPage',
    ),
  }),
] as const;
