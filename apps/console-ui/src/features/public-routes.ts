import { createRoute, redirect } from '@tanstack/react-router';
import { lazyRouteComponent } from '../components/lazy-file';
import { publicRoute } from './layout-routes';
import { modelFilterIn } from './models/model-filter';
import { HOME, nextPageIn } from './sign-in/next-page';

const modelsRoute = createRoute({ getParentRoute: () => publicRoute, path: '/models' });
const packagesRoute = createRoute({ getParentRoute: () => publicRoute, path: '/packages' });

/** Paths at which people expect these pages elsewhere. */
const OTHER_PATHS = {
  '/login': '/sign-in',
  '/signin': '/sign-in',
  '/signup': '/register',
  '/sign-up': '/register',
} as const;

const otherPathRoutes = Object.entries(OTHER_PATHS).map(([path, to]) =>
  createRoute({
    getParentRoute: () => publicRoute,
    path,
    validateSearch: nextPageIn,
    beforeLoad: ({ search }) => {
      throw redirect({ to, search, replace: true });
    },
  }),
);

export const publicRoutes = [
  // The start page of visitors. Who is signed in works on the other pages.
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./landing/landing-page'), 'LandingPage'),
    beforeLoad: ({ context: { session } }) => {
      if (session.getState().status !== 'signed-out') throw redirect({ to: HOME });
    },
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/sign-in',
    validateSearch: nextPageIn,
    component: lazyRouteComponent(() => import('./sign-in/sign-in-page'), 'SignInPage'),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/sign-in/second-factor',
    component: lazyRouteComponent(() => import('./sign-in/second-factor-page'), 'SecondFactorPage'),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/sign-in/complete',
    component: lazyRouteComponent(() => import('./sign-in/sign-in-complete-page'), 'SignInCompletePage'),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/register',
    validateSearch: nextPageIn,
    component: lazyRouteComponent(() => import('./sign-in/register-page'), 'RegisterPage'),
  }),
  // `/reset-password` and `/verify-email` are the addresses in mails.
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/forgot-password',
    component: lazyRouteComponent(
      () => import('./account-recovery/forgot-password-page'),
      'ForgotPasswordPage',
    ),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/reset-password',
    component: lazyRouteComponent(
      () => import('./account-recovery/reset-password-page'),
      'ResetPasswordPage',
    ),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/verify-email',
    component: lazyRouteComponent(() => import('./account-recovery/verify-email-page'), 'VerifyEmailPage'),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/unsubscribe',
    component: lazyRouteComponent(() => import('./account-recovery/unsubscribe-page'), 'UnsubscribePage'),
  }),
  // The rest of the path is the slug of a model, which may contain slashes.
  modelsRoute.addChildren([
    createRoute({
      getParentRoute: () => modelsRoute,
      path: '/',
      validateSearch: modelFilterIn,
      // The packages were once here.
      beforeLoad: ({ search }) => {
        if (Object.keys(search).length > 0) throw redirect({ to: '/packages', search, replace: true });
      },
      component: lazyRouteComponent(() => import('./models/models-page'), 'ModelsPage'),
    }),
    createRoute({
      getParentRoute: () => modelsRoute,
      path: '$',
      component: lazyRouteComponent(() => import('./models/model-page'), 'ModelPage'),
    }),
  ]),
  packagesRoute.addChildren([
    createRoute({
      getParentRoute: () => packagesRoute,
      path: '/',
      validateSearch: modelFilterIn,
      component: lazyRouteComponent(() => import('./models/packages-page'), 'PackagesPage'),
    }),
    createRoute({
      getParentRoute: () => packagesRoute,
      path: '$',
      component: lazyRouteComponent(() => import('./models/package-page'), 'PackagePage'),
    }),
  ]),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/pricing',
    component: lazyRouteComponent(() => import('./pricing/pricing-page'), 'PricingPage'),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/downloads',
    component: lazyRouteComponent(() => import('./downloads/downloads-page'), 'DownloadsPage'),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/changelog',
    component: lazyRouteComponent(() => import('./changelog/changelog-page'), 'ChangelogPage'),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/status',
    component: lazyRouteComponent(() => import('./status/status-page'), 'StatusPage'),
  }),
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/docs',
    component: lazyRouteComponent(() => import('./docs/docs-page'), 'DocsPage'),
  }),
  ...otherPathRoutes,
] as const;
