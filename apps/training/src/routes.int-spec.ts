import { type Role, ROLES, rolesOfRoute, STAFF_ROUTES } from '@inference/guards';
import {
  createTestDatabase,
  credentialRows,
  insertAccount,
  type Issuer,
  publishTrainingPrice,
  registeredOperations,
  documentedOperations,
  registeredRoutes,
  startIssuer,
  tabledRoutes,
  type TestAccount,
  type TestDatabase,
} from '@inference/testing';
import { ENTITIES } from './entities';
import { CAPABILITIES, type RunningTraining, startTraining, TRAINER_SECRET, USAGE } from './training.fixture';

const QUOTA = '/v1/admin/quotas/acct_unknown';

let database: TestDatabase;
let issuer: Issuer;
let service: RunningTraining;
let account: TestAccount;
let admin: TestAccount;

beforeAll(async () => {
  database = await createTestDatabase(ENTITIES);
  issuer = await startIssuer();
  account = await insertAccount(database.pool);
  admin = await insertAccount(database.pool, { role: 'admin' });
  await publishTrainingPrice(database.pool, 1n);
  service = await startTraining({ DATABASE_URL: database.urlFor('training'), CONSOLE_URL: issuer.url });
});

afterAll(async () => {
  await service.app.close();
  await issuer.close();
  await database.drop();
});

const tokenOf = async ({ accountId }: TestAccount, options = {}) =>
  (await issuer.signIn(database.pool, accountId, options)).token;

describe('every route', () => {
  it('is in the credential table and in the API document', () => {
    expect(registeredRoutes(service.app)).toEqual(tabledRoutes('training'));
    expect(registeredOperations(service.app)).toEqual(documentedOperations('training'));
  });

  it('accepts its credentials and no other, with errors in the envelope', async () => {
    const credentials = {
      none: undefined,
      session: await tokenOf(account),
      expired: await tokenOf(account, { lifetimeSeconds: -1 }),
      elsewhere: await tokenOf(account, { site: 'cn' }),
      admin: await tokenOf(admin),
      key: account.apiKey,
    };
    for (const { route, method, path, statuses } of credentialRows('training')) {
      for (const [name, credential] of Object.entries(credentials)) {
        const content = method === 'GET' ? undefined : {};
        const { status, body } = await service.call(
          method,
          path.replace(':accountId', 'acct_unknown'),
          credential,
          content,
        );
        expect([route, name, status]).toEqual([route, name, statuses[name as keyof typeof credentials]]);
        if (status >= 400) expect(Math.floor(body.code / 100)).toBe(status);
      }
    }
  });

  it('for staff is open to those roles only that the table names', async () => {
    const routes = STAFF_ROUTES.filter((route) => route.includes('/v1/admin/'));
    expect(routes).toHaveLength(2);
    for (const role of ROLES) {
      const token = await tokenOf(await insertAccount(database.pool, { role }));
      for (const { route, method, path, statuses } of credentialRows('training')) {
        if (!routes.includes(route)) continue;
        const isOpen = (rolesOfRoute(route) as readonly Role[]).includes(role);
        const content = method === 'GET' ? undefined : {};
        const { status } = await service.call(
          method,
          path.replace(':accountId', 'acct_unknown'),
          token,
          content,
        );
        expect([route, role, status]).toEqual([route, role, isOpen ? statuses.admin : 403]);
      }
    }
  });

  it.each([
    ['GET', CAPABILITIES, 401],
    ['GET', QUOTA, 401],
    ['PUT', QUOTA, 401],
    ['POST', USAGE, 400],
  ])('responds to the secret of a trainer: %s %s', async (method, path, expected) => {
    const content = method === 'GET' ? undefined : {};
    expect((await service.call(method, path, TRAINER_SECRET, content)).status).toBe(expected);
  });

  it('accepts a credential in the Authorization header only', async () => {
    const token = await tokenOf(account);
    const elsewhere: Record<string, string>[] = [
      { Cookie: `session=${token}` },
      { 'X-API-Key': account.apiKey },
      { Authorization: `ApiKey ${account.apiKey}` },
      { Authorization: `Basic ${Buffer.from(`:${account.apiKey}`).toString('base64')}` },
    ];
    for (const headers of elsewhere) {
      expect((await service.call('GET', CAPABILITIES, undefined, undefined, headers)).status).toBe(401);
    }
    expect((await service.call('GET', `${CAPABILITIES}?token=${token}`)).status).toBe(401);
    const headers = { Authorization: `bEaReR ${token}` };
    expect((await service.call('GET', CAPABILITIES, undefined, undefined, headers)).status).toBe(200);
  });
});

describe('the response to an invalid request', () => {
  it('is 404 for an unknown path', async () => {
    for (const path of ['/', '/v1', '/v1/capability', '/v1/admin/quotas', '/v1/internal']) {
      const { status, body } = await service.call('GET', path, account.apiKey);
      expect([status, body]).toEqual([404, { code: 40400, data: {}, message: 'not found' }]);
    }
  });

  it('is 400 for an unknown query parameter', async () => {
    const { status, body } = await service.call('GET', `${CAPABILITIES}?unknown=1`, account.apiKey);
    expect([status, body]).toEqual([
      400,
      { code: 40000, data: {}, message: expect.stringContaining('unknown') },
    ]);
  });

  it.each([
    ['POST', CAPABILITIES, 'GET, HEAD'],
    ['DELETE', QUOTA, 'GET, HEAD, PUT'],
    ['GET', USAGE, 'POST'],
  ])('is 405 for %s %s', async (method, path, allowed) => {
    const { status, headers, body } = await service.call(method, path, account.apiKey);
    expect([status, body.code, headers.get('allow')]).toEqual([405, 40500, allowed]);
  });

  it('is in the envelope for too large headers, which no filter handles', async () => {
    const headers = { 'X-Long': 'x'.repeat(20_000) };
    const { status, body } = await service.call('GET', CAPABILITIES, account.apiKey, undefined, headers);
    expect([status, body]).toEqual([431, { code: 43100, data: {}, message: 'the headers are too large' }]);
  });

  it('has the same status for HEAD as for GET', async () => {
    expect((await service.call('HEAD', CAPABILITIES, account.apiKey)).status).toBe(200);
  });
});

test('while the public keys of the console are unavailable, a session gets 503 in the envelope and an API key works', async () => {
  const alone = await startTraining({ DATABASE_URL: database.urlFor('training') });
  const { status, body } = await alone.call('GET', CAPABILITIES, await tokenOf(account));
  expect([status, body.code, body.data]).toEqual([503, 50300, {}]);
  expect((await alone.call('GET', CAPABILITIES, account.apiKey)).status).toBe(200);
  await alone.app.close();
});
