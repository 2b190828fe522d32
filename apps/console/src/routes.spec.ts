import { TestSite } from './console.fixture';

type Credential = 'public' | 'session' | 'admin';

/** Who may use what: the specification's Authentication section, and what it leaves to be decided. */
const CREDENTIALS: Record<string, Credential> = {
  'GET /healthz': 'public',
  'GET /metrics': 'public',
  'GET /.well-known/jwks.json': 'public',
  'GET /api/site': 'public',
  'GET /api/pricing': 'public',
  'POST /api/auth/register': 'public',
  'POST /api/auth/login': 'public',
  'GET /api/auth/me': 'session',
  'POST /api/auth/logout': 'session',
  'POST /api/api-keys': 'session',
  'GET /api/api-keys': 'session',
  'DELETE /api/api-keys/:id': 'session',
  'GET /api/billing/usage': 'session',
  'GET /api/billing/transactions': 'session',
  'GET /api/billing/settings': 'session',
  'PUT /api/admin/billing/pricing/models': 'admin',
  'PUT /api/admin/billing/pricing/gpus': 'admin',
  'PUT /api/admin/billing/exchange-rates': 'admin',
  'POST /api/admin/billing/adjustments': 'admin',
};

interface Layer {
  route?: { path: string; methods: Record<string, boolean> };
}

const BODY_METHODS = ['POST', 'PUT'];
const table = Object.entries(CREDENTIALS).map(([route, credential]) => {
  const [method = '', path = ''] = route.split(' ');
  return { route, method, path: path.replace(':id', 'key_0'), credential };
});
const of = (credential: Credential) => table.filter((row) => row.credential === credential);
const closed = table.filter(({ credential }) => credential !== 'public');
const withBody = table.filter(({ method }) => BODY_METHODS.includes(method));

const error = { error: expect.any(String) };

describe('every route', () => {
  let site: TestSite;
  const request: TestSite['console']['request'] = (...args) => site.console.request(...args);
  const tokenOf = async (role: 'user' | 'analyst' | 'admin') => (await site.signedIn(role)).token;

  beforeAll(async () => (site = await TestSite.start()));
  afterAll(() => site.stop());

  it('is in the table of credentials', () => {
    const { stack } = site.console.app.getHttpAdapter().getInstance().router as { stack: Layer[] };
    const registered = stack.flatMap(({ route }) =>
      route ? Object.keys(route.methods).map((method) => `${method.toUpperCase()} ${route.path}`) : [],
    );
    expect(registered.sort()).toEqual(Object.keys(CREDENTIALS).sort());
  });

  it.each(of('public'))('$route needs no credential, and minds no bad one', async ({ method, path }) => {
    for (const headers of [undefined, { Authorization: 'Bearer rubbish' }]) {
      const { status } = await request(method, path, { headers });
      expect([200, 400]).toContain(status);
    }
  });

  it.each(closed)('$route is closed without a session in the header', async ({ method, path }) => {
    const { token, apiKey } = await site.signedIn('admin');
    const attempts: Record<string, string>[] = [
      {},
      { Authorization: '' },
      { Authorization: token },
      { Authorization: `Basic ${token}` },
      { Authorization: `Bearer ${apiKey}` },
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
    expect((await request(method, `${path}?token=${token}`)).status).toBe(401);
  });

  it.each(of('session'))('$route is open to any account with a session', async ({ method, path }) => {
    for (const scheme of ['Bearer', 'bearer']) {
      const headers = { Authorization: `${scheme} ${await tokenOf('user')}` };
      const { status } = await request(method, path, { headers });
      expect([200, 204, 400, 404]).toContain(status);
    }
  });

  it.each(of('admin'))('$route is for admins only', async ({ method, path }) => {
    for (const role of ['user', 'analyst'] as const) {
      const answer = await request(method, path, { token: await tokenOf(role), json: {} });
      expect(answer.status).toBe(403);
      expect(answer.body).toEqual(error);
    }
    expect((await request(method, path, { token: await tokenOf('admin'), json: {} })).status).toBe(400);
  });

  it.each(table)('$route answers 405 and Allow to another method', async ({ method, path }) => {
    const answer = await request('PATCH', path);
    expect(answer.status).toBe(405);
    expect(answer.body).toEqual(error);
    expect(answer.headers.get('allow')?.split(', ')).toContain(method);
  });

  it.each(withBody)('$route answers 400 to a body that is no JSON', async ({ method, path }) => {
    const token = await tokenOf('admin');
    for (const raw of [
      '{',
      '',
      '[',
      'null',
      '"text"',
      '{"a": "\0"}',
      '{"email": "\\u0000", "name": "\\u0000"}',
    ]) {
      // Logging out asks for nothing; a body that cannot be read is refused all the same.
      const harmless = path.endsWith('logout') && !['{', '[', '{"a": "\0"}'].includes(raw);
      const answer = await request(method, path, { token: harmless ? await tokenOf('user') : token, raw });
      expect([raw, answer.status]).toEqual([raw, harmless ? 204 : 400]);
      if (!harmless) expect(answer.body).toEqual(error);
    }
  });

  it.each(withBody)(
    '$route answers 415 to another content type, 413 to a body too large',
    async ({ method, path }) => {
      const form = await request(method, path, {
        raw: 'a=1',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
      expect([form.status, form.body]).toEqual([415, error]);
      const large = await request(method, path, { raw: JSON.stringify('x'.repeat(1_100_000)) });
      expect([large.status, large.body]).toEqual([413, error]);
    },
  );

  it.each(table)('$route declares JSON in UTF-8', async ({ method, path }) => {
    if (path === '/metrics') return;
    const { headers } = await request(method, path, { token: await tokenOf('user') });
    if (path.endsWith('logout')) expect(headers.get('content-type')).toBeNull();
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
