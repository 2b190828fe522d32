import { createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router';
import { type Session } from '../api/session';

/** The parents of the pages by who may see them. Their layouts are in `app/router.ts`: a page does not know its frame. */

export interface RouterContext {
  session: Session;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()();

/** Parent of the pages that everybody may see. */
export const publicRoute = createRoute({ getParentRoute: () => rootRoute, id: 'public' });

/** Parent of the pages of a signed-in account. Others are sent to the sign-in, which leads back here. */
export const consoleRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'console',
  beforeLoad: ({ context: { session }, location }) => {
    if (session.getState().status === 'signed-out')
      throw redirect({ to: '/sign-in', search: { next: location.href } });
  },
});

/** Parent of the pages for staff. Accounts that may not use them see the not-found page in their place. */
export const adminRoute = createRoute({ getParentRoute: () => consoleRoute, id: 'admin' });

/** Parent of the reports of all accounts. Accounts that may not use them see the not-found page in their place. */
export const analystRoute = createRoute({ getParentRoute: () => consoleRoute, id: 'analyst' });
