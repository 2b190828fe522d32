import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { consoleRoute } from '../../app/router/layout-routes';

export const trainingRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/training',
    component: lazyRouteComponent(() => import('./training-page'), 'TrainingPage'),
  }),
] as const;
