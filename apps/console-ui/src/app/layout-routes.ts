import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { FailedPage } from '../layout/failures';
import { type Session } from '../session/session';

export interface RouterContext {
  session: Session;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  errorComponent: FailedPage,
});

/** Parent of the pages that everybody may see. */
export const publicRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'public',
  component: lazyRouteComponent(() => import('../layout/public-layout'), 'PublicLayout'),
});

/** Parent of the pages of a signed-in account. Others are sent to the sign-in, which leads back here. */
export const consoleRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'console',
  component: lazyRouteComponent(() => import('../layout/console-layout'), 'ConsoleLayout'),
  beforeLoad: ({ context: { session }, location }) => {
    if (session.getState().status === 'signed-out')
      throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
});

/** Parent of the pages of admins. Other accounts see the not-found page in their place. */
export const adminRoute = createRoute({
  getParentRoute: () => consoleRoute,
  id: 'admin',
  component: lazyRouteComponent(() => import('../layout/role-gate'), 'AdminGate'),
});

/** Parent of the pages of analysts and admins. Other accounts see the not-found page in their place. */
export const analystRoute = createRoute({
  getParentRoute: () => consoleRoute,
  id: 'analyst',
  component: lazyRouteComponent(() => import('../layout/role-gate'), 'AnalystGate'),
});
