import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  type TestAccount,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { readEvents, runReconcile } from './ledger-totals';
import { type CallResult } from '../load/call-result';
import { askConsole } from '../site/console-client';
import { PostgresProcess } from '../site/postgres-process';
import { rawCall } from '../load/raw-calls';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

jest.setTimeout(600_000);

const MODEL = 'sandbox-chat';
/** Takes about three seconds. */
const LONG_MODEL = 'sandbox-chat+delay-100';
const LONG_TOKENS = 30;
const RATE_PICOS = 500_000n;
/** Longer than the services cache a key and the prices. */
const CACHE_EXPIRY_MILLIS = 3_500;
/** How long a gateway retries a settlement. */
const PATIENCE_SECONDS = 20;

let postgres: PostgresProcess;
let database: TestDatabase;
let site: Site;
let services: ServiceProcess[];
let gateway: ServiceProcess;
let account: TestAccount;

beforeAll(async () => {
  postgres = await PostgresProcess.create();
  process.env.TEST_DATABASE_URL = await postgres.start();
  database = await createTestDatabase();
  const prices = [MODEL, LONG_MODEL].map((slug) => ({
    slug,
    unit: 'per_million_output_tokens' as const,
    ratePicos: RATE_PICOS,
  }));
  await publishPrices(database.pool, prices);
  account = await insertAccount(database.pool, { balancePicos: 10_000_000_000n });
  site = new Site(database);
  const engine = await site.startEngine();
  services = await Promise.all([
    site.startConsole(),
    site.startGateway(engine, { SETTLEMENT_PATIENCE_SECONDS: String(PATIENCE_SECONDS) }),
    site.startRouterCost(),
  ]);
  gateway = services[1]!;
});

afterAll(async () => {
  await site?.stop();
  await database?.drop();
  await postgres?.remove();
});

async function healthOf({ url }: ServiceProcess): Promise<unknown> {
  const response = await fetch(`${url}/healthz`);
  return [response.status, await response.json()];
}

const HEALTHY = [200, { status: 'ok' }];
const UNHEALTHY = [503, { error: 'database unavailable' }];

async function untilHealthIs(expected: unknown): Promise<void> {
  await waitFor(async () => {
    const healths = await Promise.all(services.map(healthOf));
    expect(healths).toEqual(services.map(() => expected));
    return true;
  }, 15_000);
}

function ask(model: string, maxTokens: number, stream: boolean, onFirstChunk?: () => void) {
  const body = {
    model,
    messages: [{ role: 'user', content: 'Are you there?' }],
    max_tokens: maxTokens,
    stream,
  };
  return rawCall({ gatewayUrl: gateway.url, apiKey: account.apiKey, body, onFirstChunk });
}

/** The first complete answer: a gateway trusts what it knows of keys once it hears from the database again, a second after it is healthy. */
const askOnceHeard = (maxTokens: number, stream: boolean) =>
  waitFor(async () => {
    const tried = await ask(MODEL, maxTokens, stream);
    return tried.complete && tried;
  });

/** An answer of some seconds, of which the first part has arrived. */
async function askAtLength(): Promise<{ answer: Promise<CallResult> }> {
  await askOnceHeard(1, false);
  let answer!: Promise<CallResult>;
  await new Promise<void>((resolve) => (answer = ask(LONG_MODEL, LONG_TOKENS, true, resolve)));
  return { answer };
}

const servicePids = () => services.map(({ pid, isRunning }) => (isRunning ? pid : 0));

test('every service reports an outage of the database, and none ends', async () => {
  const pids = servicePids();
  await untilHealthIs(HEALTHY);
  expect(await ask(MODEL, 4, false)).toMatchObject({ status: 200, complete: true });
  await postgres.stop();
  await untilHealthIs(UNHEALTHY);

  await new Promise((resolve) => setTimeout(resolve, CACHE_EXPIRY_MILLIS));
  for (const stream of [false, true]) {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` },
      body: JSON.stringify({ model: MODEL, messages: [], stream }),
    });
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({
      error: {
        message: expect.any(String) as string,
        type: 'server_error',
        param: null,
        code: 'database_unavailable',
      },
    });
  }
  const login = { identifier: 'nobody@example.com', password: 'does not matter' };
  expect(await askConsole(services[0]!.url, 'POST', '/api/auth/login', { json: login })).toMatchObject({
    status: 503,
    body: { error: 'database unavailable' },
  });
  const report = await fetch(`${services[2]!.url}/v1/router/cost`, {
    headers: { Authorization: `Bearer ${account.apiKey}` },
  });
  // By the database itself, or by what checks the key without it.
  expect([report.status, await report.json()]).toEqual([
    503,
    { error: expect.any(String) as string, code: 'database_unavailable' },
  ]);
  expect(servicePids()).toEqual(pids);
});

test('all services work again after the outage without a restart', async () => {
  const pids = servicePids();
  await postgres.start();
  await untilHealthIs(HEALTHY);
  const result = await askOnceHeard(6, true);
  const events = await readEvents(database.pool);
  expect(events.get(result.requestId!)).toMatchObject({ outcome: 'completed', cost_picos: 6n * RATE_PICOS });
  expect(servicePids()).toEqual(pids);
});

test('a response during a short outage completes and is billed once', async () => {
  const { answer } = await askAtLength();
  await postgres.stop();
  await new Promise((resolve) => setTimeout(resolve, LONG_TOKENS * 100));
  await postgres.start();
  const result = await answer;
  expect(result).toMatchObject({ status: 200, complete: true });
  const events = await readEvents(database.pool);
  expect(events.get(result.requestId!)).toMatchObject({
    outcome: 'completed',
    cost_picos: BigInt(LONG_TOKENS) * RATE_PICOS,
  });
});

test('a response that cannot be billed does not end like a complete one', async () => {
  const { answer } = await askAtLength();
  await postgres.stop();
  const result = await answer;
  expect(result).toMatchObject({ status: 200, complete: false });
  await postgres.start();
  await untilHealthIs(HEALTHY);
  expect((await readEvents(database.pool)).has(result.requestId!)).toBe(false);
  expect(await askOnceHeard(4, false)).toMatchObject({ status: 200, complete: true });
  expect(await runReconcile(database)).toContain('no difference');
});
