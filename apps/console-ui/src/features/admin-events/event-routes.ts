import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/router/layout-routes';
import { eventSearchIn } from './event-search';

export const adminEventRoutes = [
  createRoute({
    getParentRoute: () => adminRoute,
    path: '/admin/events',
    validateSearch: eventSearchIn,
    component: lazyRouteComponent(() => import('./events-page'), 'AdminEventsPage'),
  }),
] as const;
