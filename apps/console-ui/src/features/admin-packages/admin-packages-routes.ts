import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { adminRoute } from '../../app/router/layout-routes';

const adminModelsRoute = createRoute({ getParentRoute: () => adminRoute, path: '/admin/models' });

/** The rest of the path is the slug of a model, which may contain slashes. */
export const adminPackagesRoutes = [
  adminModelsRoute.addChildren([
    createRoute({
      getParentRoute: () => adminModelsRoute,
      path: '/',
      component: lazyRouteComponent(() => import('./admin-models-page'), 'AdminModelsPage'),
    }),
    createRoute({
      getParentRoute: () => adminModelsRoute,
      path: '$',
      component: lazyRouteComponent(() => import('./model/admin-model-page'), 'AdminModelPage'),
    }),
  ]),
] as const;
