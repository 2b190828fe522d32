import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { consoleRoute } from '../../app/router/layout-routes';

const workspaceRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/workspaces/$id',
  component: lazyRouteComponent(() => import('./workspace-frame'), 'WorkspaceFrame'),
});

interface ChatSearch {
  conversation?: string;
}

export const workspaceRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/workspaces',
    component: lazyRouteComponent(() => import('./workspaces-page'), 'WorkspacesPage'),
  }),
  workspaceRoute.addChildren([
    createRoute({
      getParentRoute: () => workspaceRoute,
      path: '/',
      component: lazyRouteComponent(() => import('./documents/documents-part'), 'DocumentsPart'),
    }),
    createRoute({
      getParentRoute: () => workspaceRoute,
      path: '/ask',
      validateSearch: ({ conversation }: Record<string, unknown>): ChatSearch =>
        typeof conversation === 'string' ? { conversation } : {},
      component: lazyRouteComponent(() => import('./chat/chat-part'), 'ChatPart'),
    }),
    createRoute({
      getParentRoute: () => workspaceRoute,
      path: '/members',
      component: lazyRouteComponent(() => import('./members/members-part'), 'MembersPart'),
    }),
    createRoute({
      getParentRoute: () => workspaceRoute,
      path: '/keys',
      component: lazyRouteComponent(() => import('./keys/keys-part'), 'KeysPart'),
    }),
  ]),
] as const;
