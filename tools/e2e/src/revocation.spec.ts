import { createTestDatabase, publishPrices, type TestDatabase, waitFor } from '@inference/testing';
import { askConsole, consoleBody } from './console-client';
import { DatabaseProxy } from './database-proxy';
import { rawCall } from './raw-calls';
import { type ServiceProcess } from './service-process';
import { Site } from './site';

jest.setTimeout(120_000);

const MODEL = 'sandbox-chat';
const ONE_SECOND = 1_000;
/** The cache lives three seconds; the rest is for a busy machine. */
const CACHE_LIFE_AND_MARGIN = 4_500;

let database: TestDatabase;
let proxy: DatabaseProxy;
let site: Site;
let consoleApp: ServiceProcess;
let gateway: ServiceProcess;
let routerCost: ServiceProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  // Free, so that an account needs no money.
  await publishPrices(database.pool, [{ slug: MODEL, unit: 'per_million_tokens', ratePicos: 0n }]);
  proxy = await DatabaseProxy.start(database.ownerUrl);
  site = new Site(database, { databaseUrl: (role) => proxy.through(database.urlFor(role)) });
  const engine = await site.startEngine();
  [consoleApp, gateway, routerCost] = await Promise.all([
    site.startConsole(),
    site.startGateway(engine),
    site.startRouterCost(),
  ]);
});

afterEach(() => proxy.restore());

afterAll(async () => {
  await site?.stop();
  await proxy?.stop();
  await database?.drop();
});

interface Customer {
  token: string;
  cookie: string;
  key: string;
  keyId: string;
}

let customers = 0;

async function newCustomer(): Promise<Customer> {
  const json = { email: `customer-${++customers}@example.com`, password: 'correct horse battery' };
  const { body, cookie } = await askConsole(consoleApp.url, 'POST', '/api/auth/register', { json });
  const { token } = body as { token: string };
  const { key, id } = await consoleBody<{ key: string; id: string }>(
    consoleApp.url,
    'POST',
    '/api/api-keys',
    {
      token,
      json: { name: 'to be deleted' },
      status: 201,
    },
  );
  return { token, cookie: cookie!, key, keyId: id };
}

type Probe = () => Promise<number>;

/** What the services say to a key at this moment. */
function keyProbes(apiKey: string): Record<string, Probe> {
  const body = { model: MODEL, messages: [{ role: 'user', content: 'hi' }], max_tokens: 2 };
  return {
    gateway: async () => (await rawCall({ gatewayUrl: gateway.url, apiKey, body })).status,
    'router-cost': () => routerStatus({ Authorization: `Bearer ${apiKey}` }),
  };
}

async function routerStatus(headers: Record<string, string>): Promise<number> {
  const response = await fetch(`${routerCost.url}/v1/router/cost`, { headers });
  await response.text();
  return response.status;
}

/** Asks again and again; the time until a service has said 401, which it never takes back. */
async function millisUntilRefused(probe: Probe, timeoutMillis: number): Promise<number> {
  const start = performance.now();
  await waitFor(async () => (await probe()) === 401, timeoutMillis);
  const millis = performance.now() - start;
  expect(await probe()).toBe(401);
  return millis;
}

/** Warms every service's cache, deletes the key at the console, and measures how long each still takes it. */
async function deleteAndMeasure({ token, key, keyId }: Customer): Promise<number> {
  const probes = Object.values(keyProbes(key));
  for (const probe of probes) expect(await probe()).toBe(200);
  const { status } = await askConsole(consoleApp.url, 'DELETE', `/api/api-keys/${keyId}`, { token });
  expect(status).toBe(204);
  return Math.max(
    ...(await Promise.all(probes.map((probe) => millisUntilRefused(probe, CACHE_LIFE_AND_MARGIN)))),
  );
}

test('a deleted key is refused by every service within one second', async () => {
  await waitFor(() => proxy.listeners === 3);
  for (let round = 0; round < 5; round++) {
    expect(await deleteAndMeasure(await newCustomer())).toBeLessThan(ONE_SECOND);
  }
});

test('a session that has ended is refused by the cost report within one second', async () => {
  const { token, cookie } = await newCustomer();
  const probe = () => routerStatus({ Cookie: cookie });
  expect(await probe()).toBe(200);
  expect((await askConsole(consoleApp.url, 'POST', '/api/auth/logout', { token })).status).toBe(204);
  expect(await millisUntilRefused(probe, CACHE_LIFE_AND_MARGIN)).toBeLessThan(ONE_SECOND);
});

test('with the notification channel refused it is the short life of the cache that ends a key', async () => {
  const customer = await newCustomer();
  proxy.cutListeners('refused');
  await waitFor(() => proxy.listeners === 0);
  const millis = await deleteAndMeasure(customer);
  // Had it been the channel, it would have been at once.
  expect(millis).toBeGreaterThan(ONE_SECOND);
  expect(millis).toBeLessThan(CACHE_LIFE_AND_MARGIN);
});

test('with the notification channel frozen it is the short life of the cache that ends a key', async () => {
  await waitFor(() => proxy.listeners === 3);
  const customer = await newCustomer();
  proxy.cutListeners('frozen');
  const millis = await deleteAndMeasure(customer);
  expect(millis).toBeGreaterThan(ONE_SECOND);
  expect(millis).toBeLessThan(CACHE_LIFE_AND_MARGIN);
});

test('once the channel is back, a deletion is known within one second again', async () => {
  await waitFor(() => proxy.listeners === 3);
  const millis = await deleteAndMeasure(await newCustomer());
  expect(millis).toBeLessThan(ONE_SECOND);
});
