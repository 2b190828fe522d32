/** What a person of the staff may be. `admin` may use every route; what the others may use is in the table. */
export const STAFF_ROLES = ['admin', 'operator', 'finance', 'support', 'analyst'] as const;
export type StaffRole = (typeof STAFF_ROLES)[number];

/** A customer, or a person of the staff. */
export type Role = 'user' | StaffRole;
export const ROLES: readonly Role[] = ['user', ...STAFF_ROLES];

/**
 * The routes for staff (`@StaffOnly()`), as method and path, with the roles that may use each besides `admin`.
 *
 * operator  models, upstreams, prices, releases, packages and announcements
 * finance   payments, refunds, adjustments, invoices, exchange rates, reports
 * support   reads accounts, disables keys, suspends, resets second factors of customers
 * analyst   reports
 *
 * The two routes of the specification that publish prices are the admins' (its rule 7); operators publish through PATCH.
 */
const TABLE = {
  // Accounts
  'GET /api/admin/accounts': ['finance', 'support'],
  'GET /api/admin/accounts/:id': ['finance', 'support'],
  'GET /api/admin/accounts/:id/usage': ['finance', 'support'],
  'GET /api/admin/accounts/:id/transactions': ['finance', 'support'],
  'GET /api/admin/accounts/:id/requests': ['finance', 'support'],
  'GET /api/admin/accounts/:id/requests/:requestId': ['finance', 'support'],
  'POST /api/admin/accounts/search': ['finance', 'support'],
  'GET /api/admin/requests/:requestId': ['finance', 'support'],
  'GET /api/admin/accounts/:id/keys': ['finance', 'support'],
  'POST /api/admin/accounts/:id/keys/:keyId/suspend': ['support'],
  'POST /api/admin/accounts/:id/keys/:keyId/reactivate': ['support'],
  'POST /api/admin/accounts/:id/suspend': ['support'],
  'POST /api/admin/accounts/:id/reactivate': ['support'],
  'GET /api/admin/accounts/:id/timeline': ['support'],
  'GET /api/admin/accounts/:id/sessions': ['support'],
  'GET /api/admin/accounts/:id/agents': ['support'],
  'GET /api/admin/accounts/:id/workspaces': ['support'],
  'GET /api/admin/accounts/:id/documents': ['support'],
  'GET /api/admin/accounts/:id/notes': ['finance', 'support'],
  'POST /api/admin/accounts/:id/notes': ['support'],
  'POST /api/admin/accounts/:id/views': ['support'],
  'DELETE /api/admin/accounts/:id/views/:viewId': ['support'],
  'DELETE /api/admin/accounts/:id/sessions/:sessionId': ['support'],
  'PUT /api/admin/accounts/:id/role': [],
  'POST /api/admin/accounts/:id/2fa/disable': ['support'],
  'GET /api/admin/accounts/:id/limits': ['support', 'finance'],
  'GET /api/admin/accounts/:id/limits/history': ['support', 'finance'],
  'PUT /api/admin/accounts/:id/limits': ['support'],
  'DELETE /api/admin/accounts/:id/limits': ['support'],
  'GET /api/admin/staff': [],
  'GET /api/admin/events': ['support'],

  // Prices
  'PUT /api/admin/billing/pricing/models': [],
  'PUT /api/admin/billing/pricing/gpus': [],
  'PUT /api/admin/billing/pricing/training': ['operator'],
  'PATCH /api/admin/billing/pricing/models': ['operator'],
  'PATCH /api/admin/billing/pricing/gpus': ['operator'],
  'GET /api/admin/billing/pricing/models': ['operator', 'finance'],
  'GET /api/admin/billing/pricing/gpus': ['operator', 'finance'],
  'GET /api/admin/billing/pricing/training': ['operator', 'finance'],
  'GET /api/admin/billing/pricing/models/history': ['operator', 'finance'],
  'GET /api/admin/billing/pricing/gpus/history': ['operator', 'finance'],
  'GET /api/admin/billing/pricing/training/history': ['operator', 'finance'],

  // Money
  'GET /api/admin/billing/exchange-rates': ['finance', 'analyst'],
  'PUT /api/admin/billing/exchange-rates': ['finance'],
  'POST /api/admin/billing/adjustments': ['finance'],
  'GET /api/admin/billing/payments': ['finance', 'support'],
  'GET /api/admin/billing/payments/:id': ['finance', 'support'],
  'POST /api/admin/billing/payments/:id/refund': ['finance'],
  'GET /api/admin/billing/refunds': ['finance', 'support'],

  'GET /api/admin/billing/provider-events': ['finance', 'support'],
  'GET /api/admin/billing/provider-events/:id': ['finance', 'support'],
  'POST /api/admin/billing/provider-events/:id/close': ['finance'],

  // Reports
  'GET /api/admin/dashboard': ['operator', 'finance', 'analyst'],
  'GET /api/cost-report': ['finance', 'analyst'],
  'GET /api/admin/reports/margin': ['finance', 'analyst'],
  'GET /api/admin/reports/unserved-calls': ['operator', 'finance', 'support', 'analyst'],

  // Served models and their upstreams
  'GET /api/admin/upstreams': ['operator', 'finance'],
  'GET /api/admin/upstreams/:id/cost-prices': ['operator', 'finance'],
  'PUT /api/admin/upstreams/:id/cost-prices': ['operator'],
  'GET /api/admin/upstreams/:id/cost-prices/history': ['operator', 'finance'],
  'POST /api/admin/upstreams': ['operator'],
  'PATCH /api/admin/upstreams/:id': ['operator'],
  'DELETE /api/admin/upstreams/:id': ['operator'],
  'POST /api/admin/upstreams/:id/drain': ['operator'],
  'POST /api/admin/upstreams/:id/test': ['operator'],
  'POST /api/admin/upstreams/test': ['operator'],
  'POST /api/admin/upstreams/:id/credentials': ['operator'],
  'DELETE /api/admin/upstreams/:id/credentials/:credential': ['operator'],
  'GET /api/admin/inference/models': ['operator'],
  'POST /api/admin/inference/models': ['operator'],
  'PATCH /api/admin/inference/models/:id': ['operator'],
  'DELETE /api/admin/inference/models/:id': ['operator'],

  // Models, packages, releases
  'GET /api/admin/models': ['operator'],
  'GET /api/admin/models/*slug': ['operator'],
  'PUT /api/admin/models/*slug': ['operator'],
  'DELETE /api/admin/models/*slug': ['operator'],
  'PUT /api/admin/models/*slug/packages/:version': ['operator'],
  'DELETE /api/admin/models/*slug/packages/:version': ['operator'],
  'POST /api/admin/package-uploads': ['operator'],
  'GET /api/admin/package-uploads': ['operator'],
  'GET /api/admin/package-uploads/:id': ['operator'],
  'PUT /api/admin/package-uploads/:id/parts/:number': ['operator'],
  'POST /api/admin/package-uploads/:id/complete': ['operator'],
  'DELETE /api/admin/package-uploads/:id': ['operator'],
  'GET /api/admin/releases': ['operator'],
  'GET /api/admin/releases/followed': ['operator'],
  'PUT /api/admin/releases/:component/:tag': ['operator'],
  'DELETE /api/admin/releases/:component/:tag': ['operator'],
  'POST /api/admin/changelog': ['operator'],
  'PUT /api/admin/changelog/:id': ['operator'],
  'DELETE /api/admin/changelog/:id': ['operator'],
  'GET /api/admin/downloads': ['operator', 'analyst'],

  // Announcements
  'GET /api/admin/announcements': ['operator', 'support'],
  'POST /api/admin/announcements': ['operator'],
  'PUT /api/admin/announcements/:id': ['operator'],
  'POST /api/admin/announcements/:id/end': ['operator'],
  'POST /api/admin/announcements/:id/mailing': ['operator'],
  'POST /api/admin/announcements/:id/mailing/count': ['operator'],
  'POST /api/admin/announcements/:id/mailing/cancel': ['operator'],

  // Operations
  'GET /api/admin/health': ['operator', 'support'],
  'GET /api/admin/exports': ['finance', 'analyst'],
  'GET /api/admin/exports/progress': ['finance', 'analyst'],
  'POST /api/admin/exports/:hour/repeat': [],

  // Training
  'GET /v1/admin/quotas/:accountId': ['finance', 'support'],
  'PUT /v1/admin/quotas/:accountId': [],
} satisfies Record<string, Exclude<StaffRole, 'admin'>[]>;

const ROLES_BY_ROUTE = new Map<string, readonly StaffRole[]>(
  Object.entries(TABLE).map(([route, roles]) => [route, ['admin', ...roles]]),
);

/** Every route of the table, such as `GET /api/admin/accounts/:id`. */
export const STAFF_ROUTES: readonly string[] = [...ROLES_BY_ROUTE.keys()];

/** The roles that may use a route for staff. Admins alone may use one that is not in the table. */
export const rolesOfRoute = (route: string): readonly StaffRole[] => ROLES_BY_ROUTE.get(route) ?? ['admin'];

/** The route by which staff begins to see the console as a customer does. Who may not use it may not go on, either. */
export const VIEW_ROUTE = 'POST /api/admin/accounts/:id/views';

/**
 * What staff sees in the place of a customer (`X-Account-View`): the figures and lists of the console itself. Every other route is closed
 * then, a new one too. Left out on purpose: what a customer has written (conversations, presets, agent sessions), and documents and
 * downloads, whose links work for whoever has them.
 */
export const ROUTES_IN_VIEW: readonly string[] = [
  'GET /api/auth/me',
  'GET /api/auth/sessions',
  'GET /api/auth/identities',
  'GET /api/auth/events',
  'GET /api/limits',
  'GET /api/limits/history',
  'GET /api/api-keys',
  'GET /api/billing/usage',
  'GET /api/billing/usage/calls',
  'GET /api/billing/proof',
  'GET /api/billing/requests',
  'GET /api/billing/requests/:requestId',
  'GET /api/billing/transactions',
  'GET /api/billing/settings',
  'GET /api/billing/payments',
  'GET /api/billing/payments/:id',
  'GET /api/billing/refunds',
  'GET /api/billing/invoices',
  'GET /api/account/announcements',
  'GET /api/account/mail-preferences',
];

/** Who sees the cost of all accounts at router-cost, as in the console's report. */
export const seesAllCost = (role: Role): boolean =>
  (rolesOfRoute('GET /api/cost-report') as readonly Role[]).includes(role);
