import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { consoleRoute } from '../../app/router/layout-routes';

export const settingsRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/settings',
    component: lazyRouteComponent(() => import('./profile/profile-page'), 'ProfilePage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/settings/security',
    component: lazyRouteComponent(() => import('./security/security-page'), 'SecurityPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/settings/identities',
    component: lazyRouteComponent(() => import('./identities/identities-page'), 'IdentitiesPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/settings/sessions',
    component: lazyRouteComponent(() => import('./sessions/sessions-page'), 'SessionsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/settings/events',
    component: lazyRouteComponent(() => import('./events/events-page'), 'EventsPage'),
  }),
] as const;
