import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { publicRoute } from '../../app/router/layout-routes';

/** The last two are the addresses in mails. */
export const recoveryRoutes = [
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/forgot-password',
    component: lazyRouteComponent(() => import('./forgot-password-page'), 'ForgotPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/reset-password',
    component: lazyRouteComponent(() => import('./reset-password-page'), 'ResetPasswordPage'),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/verify-email',
    component: lazyRouteComponent(() => import('./verify-email/verify-email-page'), 'VerifyEmailPage'),
  }),
] as const;
