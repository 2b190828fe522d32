import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';
import { LOAD_PRICES } from './continuous-load';

const MINUTES = 10;
const REQUESTS_PER_MINUTE = 600;
const TOKENS_PER_MINUTE = 60_000;
/** Specified for one gateway; two reach as much. */
const REACHED_PART = 0.9;
/** Twenty times the limit. */
const REQUESTS_PER_SECOND = 200;
const CALLERS = 40;
const WINDOW_MILLIS = 60_000;
/** A call is admitted up to so long after the instant that is stored for it. */
const LATENCY_MILLIS = 500;
const PLENTY_PICOS = 10n ** 16n;

interface Admitted {
  atMillis: number;
  tokens: number;
}

let database: TestDatabase;
let site: Site;
let gateways: ServiceProcess[];

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(database.pool, LOAD_PRICES);
  site = new Site(database);
  const engine = await site.startEngine();
  gateways = [await site.startGateway(engine), await site.startGateway(engine)];
});
afterAll(async () => {
  await site?.stop();
  await database?.drop();
});

async function keyWith(limits: { rpm?: number; tpm?: number; concurrency?: number }) {
  const account = await insertAccount(database.pool, { balancePicos: PLENTY_PICOS });
  await database.pool.query(
    'UPDATE accounts.api_keys SET requests_per_minute = $2, tokens_per_minute = $3, max_concurrency = $4 WHERE id = $1',
    [account.apiKeyId, limits.rpm ?? null, limits.tpm ?? null, limits.concurrency ?? null],
  );
  return account;
}

const call = (gateway: ServiceProcess, apiKey: string, body: object = {}) =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({
      model: LOAD_PRICES[0]!.slug,
      max_tokens: 97,
      messages: [{ role: 'user', content: 'Hello' }],
      ...body,
    }),
  });

/** Sends requests at a steady rate. Returns the statuses of the answers. */
async function load(targets: ServiceProcess[], apiKey: string, millis: number): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  const until = performance.now() + millis;
  const pauseMillis = (CALLERS * 1000) / REQUESTS_PER_SECOND;
  const caller = async (number: number) => {
    while (performance.now() < until) {
      const next = performance.now() + pauseMillis;
      const response = await call(targets[number % targets.length]!, apiKey);
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, next - performance.now()));
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, number) => caller(number)));
  return statuses;
}

async function admittedOf(accountId: string): Promise<Admitted[]> {
  const { rows } = await database.pool.query<Admitted>(
    `SELECT extract(epoch FROM started_at)::float8 * 1000 AS "atMillis", (input_tokens + output_tokens)::float8 AS tokens
     FROM metering.usage_events WHERE account_id = $1 ORDER BY started_at`,
    [accountId],
  );
  return rows;
}

/** The most of any window. */
function most(admitted: Admitted[], weightOf: (one: Admitted) => number): number {
  let [sum, highest, first] = [0, 0, 0];
  for (const one of admitted) {
    sum += weightOf(one);
    while (one.atMillis - admitted[first]!.atMillis >= WINDOW_MILLIS - LATENCY_MILLIS)
      sum -= weightOf(admitted[first++]!);
    highest = Math.max(highest, sum);
  }
  return highest;
}

test('two gateways never admit more than the limits of a key in any minute of twenty times the load', async () => {
  const { accountId, apiKey } = await keyWith({ rpm: REQUESTS_PER_MINUTE, tpm: TOKENS_PER_MINUTE });
  const statuses = await load(gateways, apiKey, MINUTES * WINDOW_MILLIS);
  expect([...statuses.keys()].sort()).toEqual([200, 429]);
  const admitted = await admittedOf(accountId);
  expect(admitted).toHaveLength(statuses.get(200)!);
  expect(admitted.length).toBeGreaterThanOrEqual(REACHED_PART * REQUESTS_PER_MINUTE * MINUTES);
  expect(most(admitted, () => 1)).toBeLessThanOrEqual(REQUESTS_PER_MINUTE);
  expect(most(admitted, ({ tokens }) => tokens)).toBeLessThanOrEqual(TOKENS_PER_MINUTE);
});

test('one gateway alone admits nine tenths of the limits', async () => {
  const { accountId, apiKey } = await keyWith({ rpm: REQUESTS_PER_MINUTE });
  const minutes = 5;
  await load(gateways.slice(0, 1), apiKey, minutes * WINDOW_MILLIS);
  const admitted = await admittedOf(accountId);
  expect(most(admitted, () => 1)).toBeLessThanOrEqual(REQUESTS_PER_MINUTE);
  expect(admitted.length).toBeGreaterThanOrEqual(REACHED_PART * REQUESTS_PER_MINUTE * minutes);
});

test('running calls of a gateway that was killed come back within 30 s, and its slices within 65', async () => {
  const [one, other] = gateways as [ServiceProcess, ServiceProcess];
  const slots = await keyWith({ concurrency: 1 });
  const rate = await keyWith({ rpm: 12 });
  const open = await call(one, slots.apiKey, {
    stream: true,
    max_tokens: 5_000,
    messages: [{ role: 'user', content: 'word '.repeat(3_000) }],
  });
  expect(open.status).toBe(200);
  await (await call(one, rate.apiKey)).arrayBuffer();
  await one.kill();
  await open.body?.cancel().catch(() => undefined);
  const since = performance.now();
  await waitFor(async () => (await call(other, slots.apiKey)).status === 200, 30_000);
  expect(performance.now() - since).toBeLessThan(30_000);
  await new Promise((resolve) => setTimeout(resolve, 65_000 - (performance.now() - since)));
  const answers: number[] = [];
  for (let count = 0; count < 12; count++) answers.push((await call(other, rate.apiKey)).status);
  expect(answers).toEqual(Array.from({ length: 12 }, () => 200));
});
