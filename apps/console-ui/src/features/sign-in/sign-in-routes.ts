import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { publicRoute } from '../../app/router/layout-routes';
import { nextPageIn } from './next-page';

export const signInRoutes = [
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/sign-in',
    validateSearch: nextPageIn,
    component: lazyRouteComponent(() => import('./sign-in-page'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/sign-in/second-factor',
    component: lazyRouteComponent(() => import('./second-factor/second-factor-page'), 'SecondFactorPage'),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/sign-in/complete',
    component: lazyRouteComponent(() => import('./sign-in-complete-page'), 'SignInCompletePage'),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/register',
    validateSearch: nextPageIn,
    component: lazyRouteComponent(() => import('./register-page'), 'RegisterPage'),
  }),
] as const;
