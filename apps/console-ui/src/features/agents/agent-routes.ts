import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { consoleRoute } from '../../app/router/layout-routes';

export const agentRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/agents',
    component: lazyRouteComponent(() => import('./agents-page'), 'AgentsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/agents/$id',
    component: lazyRouteComponent(() => import('./session/agent-page'), 'AgentPage'),
  }),
] as const;
