import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { HOME, publicRoute } from '../../app/router/layout-routes';

/** The start page of visitors. Who is signed in works on the other pages. */
export const landingRoutes = [
  createRoute({
    getParentRoute: () => publicRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./landing-page'), 'LandingPage'),
    beforeLoad: ({ context: { session } }) => {
      if (session.getState().status !== 'signed-out') throw redirect({ to: HOME });
    },
  }),
] as const;
