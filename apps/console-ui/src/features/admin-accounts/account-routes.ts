import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/router/layout-routes';
import { usageSearchIn } from '../usage/usage-search';

export const adminAccountRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/accounts',
    validateSearch: ({ q }: Record<string, unknown>): { q?: string } =>
      q === undefined || q === '' ? {} : { q: String(q as string) },
    component: lazyRouteComponent(() => import('./accounts-page'), 'AccountsPage'),
  }),
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/accounts/$accountId',
    validateSearch: usageSearchIn,
    component: lazyRouteComponent(() => import('./account/account-page'), 'AccountPage'),
  }),
] as const;
