import { randomBytes } from 'node:crypto';
import { type Role, ROLES, rolesOfRoute, ROUTES_IN_VIEW, STAFF_ROUTES, VIEW_HEADER } from '@inference/guards';
import {
  type CredentialRow,
  credentialRows,
  registeredOperations,
  documentedOperations,
  registeredRoutes,
  tabledRoutes,
} from '@inference/testing';
import { likeNewAccount, ScriptedService } from './inference/scripted-service.fixture';
import { TestSite } from './testing/console.fixture';

type Access = 'public' | 'key' | 'session' | 'admin';

const BODY_METHODS = ['POST', 'PUT', 'PATCH'];
/** Some routes redirect clients that prefer HTML. */
const ACCEPT_JSON = { Accept: 'application/json' };
const UNREADABLE = ['{', '[', '{"a": "\0"}'];
const NO_OBJECT = ['', 'null', '"text"', '{"email": "\\u0000", "name": "\\u0000"}'];

/** Needs no credential of the table, but a cookie of its own. */
const REFRESH = 'POST /api/auth/refresh';

function accessOf({ route, statuses }: CredentialRow): Access {
  if (statuses.none !== 401 || route === REFRESH) return 'public';
  if (statuses.session === 401) return 'key';
  return statuses.session === 403 ? 'admin' : 'session';
}

const table = credentialRows('console').map((row) => ({
  ...row,
  path: row.path.replace(/[:*]\w+/g, 'unknown'),
  access: accessOf(row),
}));
const of = (access: Access) => table.filter((row) => row.access === access);
const closed = table.filter(({ access }) => access !== 'public');
/**
 * Routes that take a raw body: the signed messages of payment providers and secret scanners, packages and their parts, and the forms of
 * mail programs.
 */
const RAW_BODIES = [
  'POST /api/billing/webhooks/:provider',
  'POST /api/keys/leaked',
  'POST /api/mail/subscribe',
  'POST /api/mail/unsubscribe',
  'PUT /api/admin/models/*slug/packages/:version',
  'PUT /api/admin/package-uploads/:id/parts/:number',
];
const withBody = table.filter(
  ({ method, route }) => BODY_METHODS.includes(method) && !RAW_BODIES.includes(route),
);

/** More than a route takes. */
const tooLargeBytes = ({ path, method }: CredentialRow): number => {
  if (path.startsWith('/api/playground')) return 34_000_000;
  const isForwarded =
    ['POST', 'PATCH'].includes(method) && path.startsWith('/api/agents') && !path.endsWith('cancel');
  return isForwarded ? 2_200_000 : 1_100_000;
};

/** What a customer reads with its session, and staff in its place does not. */
const WITHHELD: Record<string, string> = {
  'GET /api/agents/sessions': 'of another service; the page of the account lists them',
  'GET /api/agents/sessions/:session_id': 'what was said to an agent',
  'GET /api/agents/sessions/:session_id/events': 'what was said to an agent',
  'GET /api/agents/sessions/:session_id/events/:event_id': 'what was said to an agent',
  'GET /api/agents/sessions/:session_id/events/stream': 'what was said to an agent',
  'GET /api/billing/invoices/:paymentId/download': 'a link that works for whoever has it',
  'GET /api/billing/receipts/:paymentId/download': 'a link that works for whoever has it',
  'GET /api/playground/conversations': 'what was said to a model',
  'GET /api/playground/conversations/:id': 'what was said to a model',
  'GET /api/playground/models': 'asks the gateway for the account',
  'GET /api/playground/presets': 'what was written for a model',
  'GET /api/playground/presets/:id': 'what was written for a model',
  'GET /api/playground/settings': 'what was written for a model',
};

/** What staff reads that is no list, and so no CSV file. */
const NO_LISTS = [
  'GET /api/admin/accounts/:id',
  'GET /api/admin/accounts/:id/limits',
  'GET /api/admin/accounts/:id/requests/:requestId',
  'GET /api/admin/billing/payments/:id',
  'GET /api/admin/billing/provider-events/:id',
  'GET /api/admin/dashboard',
  'GET /api/admin/exports/progress',
  'GET /api/admin/health',
  'GET /api/admin/models/*slug',
  'GET /api/admin/package-uploads/:id',
  'GET /api/admin/requests/:requestId',
  // A list, which another service writes.
  'GET /api/cost-report',
];

const error = { error: expect.any(String) };

describe('every route', () => {
  let site: TestSite;
  /** In the place of gateway, agent and router-cost. */
  let service: ScriptedService;
  const request: TestSite['console']['request'] = (...args) => site.console.request(...args);
  const tokenOf = async (role: Role) => (await site.signedIn(role)).token;

  beforeAll(async () => {
    service = await ScriptedService.start();
    service.answers(likeNewAccount);
    site = await TestSite.start({
      GATEWAY_CREDENTIAL: randomBytes(24).toString('hex'),
      AGENT_CREDENTIAL: randomBytes(24).toString('hex'),
      INTERNAL_GATEWAY_URL: service.url,
      INTERNAL_AGENT_URL: service.url,
      ROUTER_COST_CREDENTIAL: randomBytes(24).toString('hex'),
      INTERNAL_ROUTER_URL: service.url,
    });
  });
  afterAll(async () => {
    await site.stop();
    service.close();
  });

  it('is in the API document, and so is no other', () => {
    expect(registeredOperations(site.console.app)).toEqual(documentedOperations('console'));
  });

  it('is in the table of credentials', () => {
    expect(registeredRoutes(site.console.app)).toEqual(tabledRoutes('console'));
  });

  it.each(of('public'))(
    '$route needs no credential and ignores an invalid one',
    async ({ method, path, statuses }) => {
      for (const headers of [ACCEPT_JSON, { ...ACCEPT_JSON, Authorization: 'Bearer rubbish' }]) {
        const { status } = await request(method, path, { headers });
        expect(status).toBe(statuses.none);
      }
    },
  );

  it.each(closed)('$route is closed without a session in the header', async ({ method, path, statuses }) => {
    const { token, apiKey } = await site.signedIn('admin');
    const attempts: Record<string, string>[] = [
      {},
      { Authorization: '' },
      { Authorization: token },
      { Authorization: `Basic ${token}` },
      ...(statuses.key === 401 ? [{ Authorization: `Bearer ${apiKey}` }] : []),
      { Authorization: 'Bearer rubbish' },
      { Cookie: `session=${token}` },
      { 'X-API-Key': token },
    ];
    for (const headers of attempts) {
      const answer = await request(method, path, { headers });
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(error);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
    expect((await request(method, `${path}?token=${token}`)).status).toBe(statuses['?token=']);
  });

  it.each(of('session'))('$route is open to any account with a session', async ({ method, path }) => {
    for (const scheme of ['Bearer', 'bearer']) {
      const headers = { Authorization: `${scheme} ${await tokenOf('user')}` };
      const { status } = await request(method, path, { headers });
      expect([200, 201, 204, 400, 404]).toContain(status);
    }
  });

  it('is for staff if and only if it is in the table of routes and roles', () => {
    const forStaff = of('admin').map(({ route }) => route);
    expect(forStaff.sort()).toEqual(STAFF_ROUTES.filter((route) => !route.includes('/v1/admin/')).sort());
  });

  it('for staff is open to those roles only that the table names', async () => {
    const tokens = new Map<Role, string>();
    for (const role of ROLES) tokens.set(role, await tokenOf(role));
    const counts = Object.fromEntries(['none', ...ROLES].map((role) => [role, { open: 0, closed: 0 }]));
    for (const { method, path, route, statuses } of of('admin')) {
      const body = BODY_METHODS.includes(method) ? { json: {} } : {};
      for (const role of ['none', ...ROLES] as const) {
        const token = role === 'none' ? undefined : tokens.get(role as Role);
        const isOpen = (rolesOfRoute(route) as readonly string[]).includes(role);
        const expected = role === 'none' ? 401 : isOpen ? statuses.admin : 403;
        const answer = await request(method, path, { ...(token !== undefined && { token }), ...body });
        expect([route, role, answer.status]).toEqual([route, role, expected]);
        if (!isOpen) expect(answer.body).toEqual(error);
        counts[role]![isOpen ? 'open' : 'closed']++;
      }
    }
    process.stdout.write(`Routes for staff by role: ${JSON.stringify(counts)}\n`);
  });

  it('for staff that lists something is a CSV file, too', async () => {
    const { accountId, token } = await site.signedIn('admin');
    await site.database.pool.query(
      "INSERT INTO serving.upstreams (id, name, base_url) VALUES ('up_csv', 'csv', 'http://127.0.0.1:9/v1')",
    );
    const reads = of('admin').filter(({ method, route }) => method === 'GET' && !NO_LISTS.includes(route));
    expect(reads).toHaveLength(of('admin').filter(({ method }) => method === 'GET').length - NO_LISTS.length);
    for (const { route, path } of reads) {
      const ofSomething = path.replace(/(accounts|upstreams)\/unknown/, (_part, kind: string) =>
        kind === 'accounts' ? `accounts/${accountId}` : 'upstreams/up_csv',
      );
      const answer = await request('GET', ofSomething, { token, headers: { Accept: 'text/csv' } });
      const type = answer.headers.get('content-type');
      expect([route, answer.status, type]).toEqual([route, 200, 'text/csv; charset=utf-8']);
    }
    await site.database.pool.query("DELETE FROM serving.upstreams WHERE id = 'up_csv'");
  });

  it('a customer reads is open to staff in its place, or withheld for a reason', () => {
    const read = of('session')
      .filter(({ method }) => method === 'GET')
      .map(({ route }) => route);
    expect(read.sort()).toEqual([...ROUTES_IN_VIEW, ...Object.keys(WITHHELD)].sort());
  });

  it('answers staff in the place of a customer as its owner, or with 403', async () => {
    const { token } = await site.signedIn('support');
    const { accountId } = await site.signedIn();
    const opened = await request('POST', `/api/admin/accounts/${accountId}/views`, {
      token,
      json: { reason: 'A test.' },
    });
    const headers = { ...ACCEPT_JSON, [VIEW_HEADER]: (opened.body as { id: string }).id };
    const counts = { public: 0, owner: 0, refused: 0 };
    for (const { method, path, route, access, statuses } of table) {
      const body = BODY_METHODS.includes(method) ? { json: {} } : {};
      const answer = await request(method, path, { token, headers, ...body });
      const isRead = method === 'GET';
      // A route for keys alone takes no session, whatever its header says.
      if (isRead && access === 'key') expect(answer.status).toBe(401);
      else if (isRead && access === 'public') {
        counts.public++;
        expect([route, answer.status]).toEqual([route, statuses.none]);
      } else if (isRead && ROUTES_IN_VIEW.includes(route)) {
        counts.owner++;
        expect([route, answer.status]).toEqual([route, statuses.session]);
        const head = await request('HEAD', path, { token, headers });
        expect([route, head.status]).toEqual([route, statuses.session]);
      } else {
        counts.refused++;
        expect([route, answer.status, answer.body]).toEqual([
          route,
          403,
          { ...error, code: 'read_only_view' },
        ]);
      }
    }
    expect(counts.owner).toBe(ROUTES_IN_VIEW.length);
    process.stdout.write(`Routes for staff in the place of a customer: ${JSON.stringify(counts)}\n`);
  });

  it.each(table)('$route is 405 with Allow for another method', async ({ method, path }) => {
    const answer = await request('PURGE', path);
    expect(answer.status).toBe(405);
    expect(answer.body).toEqual(error);
    expect(answer.headers.get('allow')?.split(', ')).toContain(method);
  });

  it.each(withBody)(
    '$route is 400 for a body that is not a JSON object',
    async ({ method, path, statuses }) => {
      for (const raw of [...UNREADABLE, ...NO_OBJECT]) {
        const answer = await request(method, path, { token: await tokenOf('admin'), raw });
        // Some routes need no body, but an unreadable one is refused.
        const mayPass = statuses.admin !== 400 && NO_OBJECT.includes(raw);
        if (mayPass && answer.status === statuses.admin) continue;
        expect([raw, answer.status, answer.body]).toEqual([raw, 400, error]);
      }
    },
  );

  it.each(withBody)('$route is 415 for another content type and 413 for too large a body', async (row) => {
    const { method, path } = row;
    const token = await tokenOf('admin');
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const form = await request(method, path, { token, raw: 'a=1', headers });
    expect([form.status, form.body]).toEqual([415, error]);
    const large = await request(method, path, { token, raw: JSON.stringify('x'.repeat(tooLargeBytes(row))) });
    expect([large.status, large.body]).toEqual([413, error]);
  });

  it.each(withBody.filter(({ access }) => access !== 'public'))(
    '$route judges the credential before the body',
    async ({ method, path }) => {
      const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const faulty = [
        { raw: '{' },
        { raw: 'a=1', headers: form },
        { raw: JSON.stringify('x'.repeat(1_100_000)) },
      ];
      for (const body of faulty) expect((await request(method, path, body)).status).toBe(401);
    },
  );

  it.each(table)('$route has the content type JSON in UTF-8', async ({ method, path, statuses }) => {
    if ((path.endsWith('.xml') && statuses.none === 200) || path.endsWith('.atom')) return;
    const token = await tokenOf('user');
    const { headers } = await request(method, path, { token, headers: ACCEPT_JSON });
    if (statuses.session === 204) expect(headers.get('content-type')).toBeNull();
    else expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it.each(['/', '/api', '/api/auth/unknown', '/api/healthz', '/.env', '/api/api-keys/a/b'])(
    'an unknown path, %s, is 404',
    async (path) => {
      const answer = await request('GET', path);
      expect([answer.status, answer.body]).toEqual([404, error]);
    },
  );

  it('a path that cannot be decoded is 400', async () => {
    const answer = await request('DELETE', '/api/api-keys/%E0%A4%A', { token: await tokenOf('user') });
    expect([answer.status, answer.body]).toEqual([400, error]);
  });
});
