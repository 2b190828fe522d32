import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { publicRoute } from '../../app/router/layout-routes';
import { modelFilterIn } from './list/model-filter';

const modelsRoute = createRoute({ getParentRoute: () => publicRoute, path: '/models' });

/** The rest of the path is the slug of a model, which may contain slashes. */
export const modelsRoutes = [
  modelsRoute.addChildren([
    createRoute({
      getParentRoute: () => modelsRoute,
      path: '/',
      validateSearch: modelFilterIn,
      component: lazyRouteComponent(() => import('./list/models-page'), 'ModelsPage'),
    }),
    createRoute({
      getParentRoute: () => modelsRoute,
      path: '$',
      component: lazyRouteComponent(() => import('./detail/model-page'), 'ModelPage'),
    }),
  ]),
] as const;
