import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { consoleRoute } from './layout-routes';

/** Parent of the pages of admins. Other accounts see that there is no such page. */
export const adminRoute = createRoute({
  getParentRoute: () => consoleRoute,
  id: 'admin',
  component: lazyRouteComponent(() => import('../../layout/admin-layout'), 'AdminLayout'),
});
