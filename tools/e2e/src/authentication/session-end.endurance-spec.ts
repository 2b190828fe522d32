import { createTestDatabase, type TestDatabase, waitFor } from '@inference/testing';
import { Secret, TOTP } from 'otpauth';
import { askConsole, consoleBody } from '../site/console-client';
import { DatabaseProxy } from '../site/database-proxy';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

/** The maximum time for which a service may accept an ended session. */
const BOUND_MILLIS = 30_000;
/** How long a service caches a session. */
const SESSION_CACHE_MILLIS = 10_000;
const PASSWORD = 'correct horse battery';
const ROUNDS = 3;
/** One LISTEN connection of the console and one of the cost report. */
const LISTENERS = 2;

let database: TestDatabase;
let proxy: DatabaseProxy;
let site: Site;
let consoleApp: ServiceProcess;
let routerCost: ServiceProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await DatabaseProxy.start(database.ownerUrl);
  site = new Site(database, { databaseUrl: (role) => proxy.through(database.urlFor(role)) });
  [consoleApp, routerCost] = await Promise.all([site.startConsole(), site.startRouterCost()]);
});

afterEach(() => proxy.restore());

afterAll(async () => {
  await site?.stop();
  await proxy?.stop();
  await database?.drop();
});

interface Session {
  token: string;
  cookie: string;
}

/** One account, signed in twice. */
interface Customer {
  acting: Session;
  other: Session;
}

let customers = 0;

async function newCustomer(): Promise<Customer> {
  const identifier = `customer-${++customers}@example.com`;
  const signIn = async (path: string, json: object): Promise<Session> => {
    const { body, cookie } = await askConsole(consoleApp.url, 'POST', path, { json });
    return { token: (body as { token: string }).token, cookie: cookie! };
  };
  const acting = await signIn('/api/auth/register', { email: identifier, password: PASSWORD });
  return { acting, other: await signIn('/api/auth/login', { identifier, password: PASSWORD }) };
}

/** The status of a console request with the token, and of a cost report request with the cookie. */
async function statusesOf({ token, cookie }: Session): Promise<[atConsole: number, atRouterCost: number]> {
  const { status } = await askConsole(consoleApp.url, 'GET', '/api/auth/me', { token });
  const response = await fetch(`${routerCost.url}/v1/router/cost`, { headers: { Cookie: cookie } });
  await response.text();
  return [status, response.status];
}

const ask = (session: Session, method: string, path: string, json?: unknown, status = 204) =>
  consoleBody(consoleApp.url, method, path, { token: session.token, json, status });

async function enableTwoFactor({ acting }: Customer): Promise<void> {
  await database.pool.query('UPDATE accounts.accounts SET email_verified_at = now()');
  const { secret } = (await ask(acting, 'POST', '/api/auth/2fa/setup', undefined, 200)) as { secret: string };
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  await ask(acting, 'POST', '/api/auth/2fa/enable', { code }, 200);
}

/** Ways to end the customer's other session. */
const ENDINGS: [name: string, end: (customer: Customer) => Promise<unknown>][] = [
  ['logout', ({ other }) => ask(other, 'POST', '/api/auth/logout')],
  [
    'password change',
    ({ acting }) =>
      ask(acting, 'PUT', '/api/auth/password', {
        current_password: PASSWORD,
        new_password: `${PASSWORD} staple`,
      }),
  ],
  ['second factor', enableTwoFactor],
];

/** Ends a session that both services have cached, and waits until both refuse it. Returns the time since the caching. */
async function endEverywhere(end: (customer: Customer) => Promise<unknown>): Promise<number> {
  const customer = await newCustomer();
  const knownAt = performance.now();
  expect(await statusesOf(customer.other)).toEqual([200, 200]);
  await end(customer);
  await waitFor(
    async () => (await statusesOf(customer.other)).every((status) => status === 401),
    BOUND_MILLIS,
  );
  const millis = performance.now() - knownAt;
  expect(await statusesOf(customer.other)).toEqual([401, 401]);
  expect(await statusesOf(customer.acting)).toEqual([200, 200]);
  return millis;
}

test.each(ENDINGS)(
  '%s: every service refuses the session before its cache entry expires',
  async (_name, end) => {
    await waitFor(() => proxy.listeners === LISTENERS);
    // On a busy machine one of them may be slow. Without the channel, each would take as long as the cache lives.
    for (let round = 0; round < ROUNDS; round++)
      if ((await endEverywhere(end)) < SESSION_CACHE_MILLIS) return;
    throw new Error('No session end was notified.');
  },
);

describe.each(['refused', 'frozen'] as const)('with the notification channel %s', (mode) => {
  beforeEach(async () => {
    await waitFor(() => proxy.listeners === LISTENERS);
  });

  test('no service takes a session from its cache, and all refuse the ended ones once they hear again', async () => {
    const ended = await Promise.all(ENDINGS.map(async ([, end]) => ({ customer: await newCustomer(), end })));
    const others = () => Promise.all(ended.map(({ customer }) => statusesOf(customer.other)));
    const acting = () => Promise.all(ended.map(({ customer }) => statusesOf(customer.acting)));
    const all = (statuses: [number, number]) => ended.map(() => statuses);
    expect([...(await others()), ...(await acting())]).toEqual([...all([200, 200]), ...all([200, 200])]);
    proxy.cutListeners(mode);
    await Promise.all(ended.map(({ customer, end }) => end(customer)));
    // The console asks the database each time; the cost report does not know whether it has missed an end.
    await waitFor(async () => {
      expect(await others()).toEqual(all([401, 503]));
      return true;
    }, BOUND_MILLIS);
    expect(await acting()).toEqual(all([200, 503]));
    proxy.restore();
    await waitFor(async () => {
      expect(await others()).toEqual(all([401, 401]));
      return true;
    }, BOUND_MILLIS);
    expect(await acting()).toEqual(all([200, 200]));
  });
});
