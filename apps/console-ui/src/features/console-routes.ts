import { createRoute } from '@tanstack/react-router';
import { lazyRouteComponent } from '../components/lazy-file';
import { analystRoute, consoleRoute } from './layout-routes';
import { sessionViewIn } from './agents/session-view';
import { costReportSearchIn } from './cost-report/cost-report-search';
import { keyViewIn } from './keys/key-view';
import { requestSearchIn } from './usage/request-search';
import { usageSearchIn } from './usage/usage-search';
import { topUpSearchIn } from './wallet/top-up-search';
import { workspaceKeyViewIn, workspaceViewIn } from './workspaces/workspace-search';

const workspaceRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/workspaces/$id',
  component: lazyRouteComponent(() => import('./workspaces/workspace-frame'), 'WorkspaceFrame'),
});

interface ChatSearch {
  conversation?: string;
}
const conversationIn = ({ conversation }: Record<string, unknown>): ChatSearch =>
  typeof conversation === 'string' ? { conversation } : {};

interface PlaygroundSearch extends ChatSearch {
  /** The model to try. */
  model?: string;
}
const playgroundIn = (search: Record<string, unknown>): PlaygroundSearch => {
  const { model } = search;
  return { ...conversationIn(search), ...(typeof model === 'string' && { model }) };
};

export const consoleRoutes = [
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/overview',
    component: lazyRouteComponent(() => import('./overview/overview-page'), 'OverviewPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/keys',
    validateSearch: keyViewIn,
    component: lazyRouteComponent(() => import('./keys/keys-page'), 'KeysPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/limits',
    component: lazyRouteComponent(() => import('./limits/limits-page'), 'LimitsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/playground',
    validateSearch: playgroundIn,
    component: lazyRouteComponent(() => import('./playground/playground-page'), 'PlaygroundPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/agents',
    validateSearch: sessionViewIn,
    component: lazyRouteComponent(() => import('./agents/agents-page'), 'AgentsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/agents/$id',
    component: lazyRouteComponent(() => import('./agents/agent-page'), 'AgentPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/workspaces',
    validateSearch: workspaceViewIn,
    component: lazyRouteComponent(() => import('./workspaces/workspaces-page'), 'WorkspacesPage'),
  }),
  workspaceRoute.addChildren([
    createRoute({
      getParentRoute: () => workspaceRoute,
      path: '/',
      component: lazyRouteComponent(() => import('./workspaces/documents/documents-part'), 'DocumentsPart'),
    }),
    createRoute({
      getParentRoute: () => workspaceRoute,
      path: '/ask',
      validateSearch: conversationIn,
      component: lazyRouteComponent(() => import('./workspaces/chat/chat-part'), 'ChatPart'),
    }),
    createRoute({
      getParentRoute: () => workspaceRoute,
      path: '/members',
      component: lazyRouteComponent(() => import('./workspaces/members-part'), 'MembersPart'),
    }),
    createRoute({
      getParentRoute: () => workspaceRoute,
      path: '/keys',
      validateSearch: workspaceKeyViewIn,
      component: lazyRouteComponent(() => import('./workspaces/keys-part'), 'KeysPart'),
    }),
    createRoute({
      getParentRoute: () => workspaceRoute,
      path: '/feedback',
      component: lazyRouteComponent(() => import('./workspaces/chat/feedback-part'), 'FeedbackPart'),
    }),
  ]),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/training',
    component: lazyRouteComponent(() => import('./training/training-page'), 'TrainingPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/requests',
    validateSearch: requestSearchIn,
    component: lazyRouteComponent(() => import('./requests/requests-page'), 'RequestsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/requests/$requestId',
    component: lazyRouteComponent(() => import('./requests/request-page'), 'RequestPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/usage',
    validateSearch: usageSearchIn,
    component: lazyRouteComponent(() => import('./usage/usage-page'), 'UsagePage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/top-up',
    validateSearch: topUpSearchIn,
    component: lazyRouteComponent(() => import('./wallet/top-up-page'), 'TopUpPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/payments',
    component: lazyRouteComponent(() => import('./wallet/payments-page'), 'PaymentsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/payments/refunds',
    component: lazyRouteComponent(() => import('./wallet/refunds-page'), 'RefundsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/payments/$paymentId',
    component: lazyRouteComponent(() => import('./wallet/payment-page'), 'PaymentPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/invoices',
    component: lazyRouteComponent(() => import('./wallet/documents-page'), 'DocumentsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/transactions',
    component: lazyRouteComponent(() => import('./wallet/transactions-page'), 'TransactionsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/settings',
    component: lazyRouteComponent(() => import('./settings/profile-page'), 'ProfilePage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/settings/security',
    component: lazyRouteComponent(() => import('./settings/security-page'), 'SecurityPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/settings/identities',
    component: lazyRouteComponent(() => import('./settings/identities-page'), 'IdentitiesPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/settings/sessions',
    component: lazyRouteComponent(() => import('./settings/sessions-page'), 'SessionsPage'),
  }),
  createRoute({
    getParentRoute: () => consoleRoute,
    path: '/settings/events',
    component: lazyRouteComponent(() => import('./settings/events-page'), 'EventsPage'),
  }),
] as const;

export const analystRoutes = [
  createRoute({
    getParentRoute: () => analystRoute,
    path: '/cost-report',
    validateSearch: costReportSearchIn,
    component: lazyRouteComponent(() => import('./cost-report/cost-report-page'), 'CostReportPage'),
  }),
] as const;
