import { createTestDatabase, publishPrices, type TestDatabase, waitFor } from '@inference/testing';
import { askConsole, consoleBody } from '../site/console-client';
import { DatabaseProxy } from '../site/database-proxy';
import { rawCall } from '../load/raw-calls';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

jest.setTimeout(600_000);

const MODEL = 'sandbox-chat';
const ONE_SECOND = 1_000;
/** How long services cache a key, and a session. */
const KEY_CACHE_MILLIS = 3_000;
const SESSION_CACHE_MILLIS = 10_000;
const ROUNDS = 5;

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

/** The status of each service for a key. */
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

/** A service that has heard no notifications for five seconds answers 503. */
const isRefusal = (status: number) => status === 401 || status === 503;

/** Polls until the service refuses, and returns the time. Expects that it refuses the next request, too. */
async function refusedAt(probe: Probe): Promise<number> {
  await waitFor(async () => isRefusal(await probe()));
  const at = performance.now();
  expect(isRefusal(await probe())).toBe(true);
  return at;
}

interface Refusal {
  /** From the deletion until every service refuses the key. */
  millis: number;
  /** From the last moment before a service could cache the key, until every service refuses it. */
  millisRemembered: number;
}

/** Fills the cache of every service, deletes the key at the console, and measures how long any service accepts it. */
async function deleteAndMeasure({ token, key, keyId }: Customer): Promise<Refusal> {
  const probes = Object.values(keyProbes(key));
  const warmedAt = performance.now();
  for (const probe of probes) expect(await probe()).toBe(200);
  const { status } = await askConsole(consoleApp.url, 'DELETE', `/api/api-keys/${keyId}`, { token });
  const deletedAt = performance.now();
  expect(status).toBe(204);
  const at = Math.max(...(await Promise.all(probes.map(refusedAt))));
  return { millis: at - deletedAt, millisRemembered: at - warmedAt };
}

/** Deletes several keys and judges the median, because a busy machine may delay single deletions. */
async function expectRefusedWithinOneSecond(): Promise<void> {
  const refusals: Refusal[] = [];
  for (let round = 0; round < ROUNDS; round++) refusals.push(await deleteAndMeasure(await newCustomer()));
  const median = refusals.map(({ millis }) => millis).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)];
  expect(median).toBeLessThan(ONE_SECOND);
}

test('a deleted key is refused by every service within one second', async () => {
  await waitFor(() => proxy.listeners === 3);
  await expectRefusedWithinOneSecond();
});

test('the cost report refuses an ended session before its cache entry expires', async () => {
  const { token, cookie } = await newCustomer();
  const probe = () => routerStatus({ Cookie: cookie });
  const warmedAt = performance.now();
  expect(await probe()).toBe(200);
  expect((await askConsole(consoleApp.url, 'POST', '/api/auth/logout', { token })).status).toBe(204);
  expect((await refusedAt(probe)) - warmedAt).toBeLessThan(SESSION_CACHE_MILLIS);
});

test('without a connection for notifications, a deleted key is refused when its cache entry expires', async () => {
  const customer = await newCustomer();
  proxy.cutListeners('refused');
  await waitFor(() => proxy.listeners === 0);
  // A notification would have had an immediate effect.
  expect((await deleteAndMeasure(customer)).millisRemembered).toBeGreaterThanOrEqual(KEY_CACHE_MILLIS);
});

test('with a frozen connection for notifications, a deleted key is refused when its cache entry expires', async () => {
  await waitFor(() => proxy.listeners === 3);
  const customer = await newCustomer();
  proxy.cutListeners('frozen');
  expect((await deleteAndMeasure(customer)).millisRemembered).toBeGreaterThanOrEqual(KEY_CACHE_MILLIS);
});

test('a deleted key is refused within one second again after the connection is restored', async () => {
  await waitFor(() => proxy.listeners === 3);
  await expectRefusedWithinOneSecond();
});
