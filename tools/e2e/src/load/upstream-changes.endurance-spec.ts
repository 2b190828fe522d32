import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createTestDatabase,
  findFreePort,
  insertAccount,
  publishPrices,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { runReconcile } from '../billing/ledger-totals';
import { consoleBody } from '../site/console-client';
import { createAdmin } from '../site/create-admin';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';
import { type CallResult } from './call-result';
import { rawCall } from './raw-calls';
import { runConcurrently } from './run-concurrently';

/** What an operator does to the upstreams of a site under load, on two gateways. Nothing is restarted, and no client notices. */

/** Of distinct prompts. The share of 10 % lies within 9 and 11 % of 10,000 for all but one in a thousand sets of prompts. */
const CALLS = Number(process.env.UPSTREAM_TEST_CALLS ?? 10_000);
/** Clients at a time: so few that hardly any call finds the small upstream above its share. */
const CLIENTS = 12;
const IN_FORCE_MILLIS = 2_000;
const LONG_STREAMS = 6;
const CHUNKS = 8;
const CHUNK_MILLIS = 25;
const REFUSED_MILLIS = 50;
/** Of the upstream, by both gateways together. */
const CONCURRENCY = 4;
const PROMPT_TOKENS = 5;
/** Of a token, in picos. */
const RATES = [1_000_000n, 2_000_000n] as const;
/** What each upstream takes for a million tokens: 0.4 and 1.5 times the price. */
const COSTS = [0.4, 3] as const;
const COST_RATES = [400_000n, 3_000_000n] as const;
const PLENTY_PICOS = 100_000_000_000_000n;
const PICOS = 1e12;
const DAY_MILLIS = 86_400_000;
const ADMIN = { email: 'admin@example.com', password: 'the password of the admin' };
const FORMER_KEY = 'sk-the-first-key-of-first';
const NEW_KEY = 'sk-the-second-key-of-first';

interface Seen {
  at: number;
  /** The index of the gateway, which is the first word of the prompt. */
  gateway: number;
  credential: string | undefined;
}

/** A model server that notes who calls it with what. */
class NotingModel {
  readonly seen: Seen[] = [];
  /** Calls that ran at the same time, at most. */
  mostRunning = 0;
  private running = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      this.mostRunning = Math.max(this.mostRunning, ++this.running);
      response.on('close', () => this.running--);
      void this.answer(request, response);
    });
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** Ends it as the death of its process would: open connections break, new ones are refused. */
  kill(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') return void response.end('{"data":[]}');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { messages, stream } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      messages: { content: string }[];
      stream?: boolean;
    };
    this.seen.push({
      at: Date.now(),
      gateway: Number(messages[0]!.content.split(' ')[0]),
      credential: request.headers.authorization?.replace('Bearer ', ''),
    });
    const usage = {
      prompt_tokens: PROMPT_TOKENS,
      completion_tokens: CHUNKS,
      total_tokens: PROMPT_TOKENS + CHUNKS,
    };
    if (!stream) {
      const choice = { index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' };
      response.setHeader('Content-Type', 'application/json');
      return void response.end(
        JSON.stringify({ id: 'c', object: 'chat.completion', choices: [choice], usage }),
      );
    }
    response.setHeader('Content-Type', 'text/event-stream');
    const send = (event: object) =>
      response.write(`data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...event })}\n\n`);
    for (let index = 0; index < CHUNKS && !response.destroyed; index++) {
      send({ choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }] });
      await sleep(CHUNK_MILLIS);
    }
    send({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    send({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  }
}

let database: TestDatabase;
let site: Site;
let consoleService: ServiceProcess;
let gateways: ServiceProcess[];
let metricsPorts: number[];
let pids: number[];
let first: NotingModel;
let second: NotingModel;
let token: string;
let apiKey: string;
let firstId: string;
/** What is written into the documents. */
const figures: Record<string, unknown> = {};

const byAdmin = <Body>(method: string, path: string, json?: object, status = 200) =>
  consoleBody<Body>(consoleService.url, method, `/api/admin/upstreams${path}`, { token, json, status });

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(database.pool, [
    { slug: 'm', unit: 'per_million_input_tokens', ratePicos: RATES[0] },
    { slug: 'm', unit: 'per_million_output_tokens', ratePicos: RATES[1] },
  ]);
  ({ apiKey } = await insertAccount(database.pool, { balancePicos: PLENTY_PICOS }));
  [first, second] = await Promise.all([new NotingModel().start(), new NotingModel().start()]);
  site = new Site(database);
  consoleService = await site.startConsole();
  const UPSTREAMS = JSON.stringify([
    { name: 'first', base_url: first.url, api_key: FORMER_KEY, models: ['m'] },
  ]);
  metricsPorts = [await findFreePort(), await findFreePort()];
  gateways = [];
  for (const port of metricsPorts)
    gateways.push(await site.startGateway(first, { UPSTREAMS, METRICS_PORT: String(port) }));
  pids = gateways.map(({ pid }) => pid);
  await createAdmin(database.urlFor('console'), 'intl', ADMIN);
  ({ token } = await consoleBody<{ token: string }>(consoleService.url, 'POST', '/api/auth/login', {
    json: { identifier: ADMIN.email, password: ADMIN.password },
  }));
  const { upstreams } = await byAdmin<{ upstreams: { id: string }[] }>('GET', '');
  firstId = upstreams[0]!.id;
  await publishCosts(firstId, 'first');
  await sleep(IN_FORCE_MILLIS);
});
afterAll(async () => {
  if (process.env.UPSTREAM_TEST_FIGURES) console.info(JSON.stringify(figures));
  first?.kill();
  second?.kill();
  await site?.stop();
  await database?.drop();
});

let prompts = 0;
/** Of all calls, for the sums at the end. */
const answered = { whole: 0, broken: 0 };
async function chat(gateway: number, stream = false): Promise<CallResult> {
  const result = await rawCall({
    gatewayUrl: gateways[gateway]!.url,
    apiKey,
    body: {
      model: 'm',
      messages: [{ role: 'user', content: `${gateway} is asked question ${prompts++}` }],
      max_tokens: 20,
      ...(stream && { stream, stream_options: { include_usage: true } }),
    },
  });
  if (result.status === 200) answered[result.complete ? 'whole' : 'broken']++;
  return result;
}

/** When it was told what an upstream takes. */
const pricedAt: Record<string, number> = {};
/** Tells what an upstream takes, which is in force two seconds later. */
async function publishCosts(id: string, name: string): Promise<void> {
  const cost_prices = [
    { model: 'm', unit: 'per_million_input_tokens', price: COSTS[0] },
    { model: 'm', unit: 'per_million_output_tokens', price: COSTS[1] },
  ];
  await byAdmin('PUT', `/${id}/cost-prices`, { cost_prices });
  pricedAt[name] = Date.now();
}

/** Plain calls and streams to both gateways, until they are stopped. */
function startLoad(): { results: CallResult[]; stop(): Promise<CallResult[]> } {
  const results: CallResult[] = [];
  let isRunning = true;
  const client = async (index: number) => {
    for (let turn = index; isRunning; turn++) {
      const result = await chat(turn % 2, turn % 3 === 0);
      results.push(result);
      if (result.status !== 200) await sleep(REFUSED_MILLIS);
    }
  };
  const clients = Array.from({ length: CLIENTS }, (_, index) => client(index));
  return {
    results,
    stop: async () => {
      isRunning = false;
      await Promise.all(clients);
      return results;
    },
  };
}

const failed = (results: readonly CallResult[]) =>
  results.filter(({ status, complete }) => status !== 200 || !complete);
/** The latest instant at which a call came from either gateway, in milliseconds after another instant; 0: before it. */
const lastAfter = (seen: readonly Seen[], changedAt: number) =>
  Math.max(0, ...seen.map(({ at }) => at - changedAt));

/** Makes a change under load, and waits for so long that every later call obeys it. */
async function changeUnderLoad(change: () => Promise<unknown>): Promise<number> {
  const load = startLoad();
  await waitFor(() => load.results.length > 4 * CLIENTS);
  await change();
  const changedAt = Date.now();
  await sleep(2 * IN_FORCE_MILLIS);
  expect(failed(await load.stop())).toEqual([]);
  return changedAt;
}

/** Whether a gateway knows an upstream, by its metrics: few calls under a small weight would tell it late. */
const knows = async (metricsPort: number, name: string) =>
  (await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()).includes(
    `gateway_upstream_running_calls{upstream="${name}"}`,
  );

test('a second upstream is added and gets its weight of distinct prompts', async () => {
  const load = startLoad();
  await waitFor(() => load.results.length > 4 * CLIENTS);
  await byAdmin('PATCH', `/${firstId}`, { models: [{ model: 'm', weight: 90, priority: 0 }] });
  const { id } = await byAdmin<{ id: string }>(
    'POST',
    '',
    { name: 'second', base_url: second.url, models: [{ model: 'm', weight: 10, priority: 0 }] },
    201,
  );
  const changedAt = Date.now();
  await Promise.all(metricsPorts.map((port) => waitFor(() => knows(port, 'second'), IN_FORCE_MILLIS)));
  figures.addedMillis = Date.now() - changedAt;
  await publishCosts(id, 'second');
  await waitFor(() => [0, 1].every((index) => second.seen.some(({ gateway }) => gateway === index)));
  expect(failed(await load.stop())).toEqual([]);
  first.seen.length = second.seen.length = 0;
  const results: CallResult[] = [];
  await runConcurrently(
    Array.from({ length: CALLS }, (_, index) => async () => void results.push(await chat(index % 2))),
    CLIENTS,
  );
  expect(failed(results)).toEqual([]);
  expect(first.seen.length + second.seen.length).toBe(CALLS);
  const share = second.seen.length / CALLS;
  figures.share = share;
  // Fewer calls scatter more.
  const tolerance = 0.01 * Math.sqrt(10_000 / CALLS);
  expect(share).toBeGreaterThan(0.1 - tolerance);
  expect(share).toBeLessThan(0.1 + tolerance);
});

test('a new credential is used at once, and the former one is deleted without a failed call', async () => {
  first.seen.length = 0;
  const changedAt = await changeUnderLoad(() =>
    byAdmin('POST', `/${firstId}/credentials`, { credential: NEW_KEY }, 201),
  );
  const late = lastAfter(
    first.seen.filter(({ credential }) => credential === FORMER_KEY),
    changedAt,
  );
  figures.rotatedMillis = late;
  expect(late).toBeLessThanOrEqual(IN_FORCE_MILLIS);
  const { upstreams } = await byAdmin<{ upstreams: { id: string; credentials: { id: string }[] }[] }>(
    'GET',
    '',
  );
  const { credentials } = upstreams.find(({ id }) => id === firstId)!;
  expect(credentials).toHaveLength(2);
  await changeUnderLoad(() =>
    byAdmin('DELETE', `/${firstId}/credentials/${credentials[1]!.id}`, undefined, 204),
  );
  expect(first.seen.at(-1)).toMatchObject({ credential: NEW_KEY });
});

test('an upstream that is drained gets no further call, and its death is noticed by nobody', async () => {
  first.seen.length = 0;
  const changedAt = await changeUnderLoad(() => byAdmin('POST', `/${firstId}/drain`));
  const late = lastAfter(first.seen, changedAt);
  figures.drainedMillis = late;
  expect(late).toBeLessThanOrEqual(IN_FORCE_MILLIS);
  const runningOf = async () =>
    (await byAdmin<{ upstreams: { id: string; health: { running: unknown } }[] }>('GET', '')).upstreams.map(
      ({ id, health }) => (id === firstId ? Number(String(health.running)) : 0),
    )[0]!;
  await waitFor(async () => (await runningOf()) === 0);
  const load = startLoad();
  await waitFor(() => load.results.length > 4 * CLIENTS);
  first.kill();
  const before = load.results.length;
  await waitFor(() => load.results.length > before + 200);
  expect(failed(await load.stop())).toEqual([]);
});

test('of an upstream that dies under load only streams that had begun break', async () => {
  const third = await new NotingModel().start();
  const { id } = await byAdmin<{ id: string }>(
    'POST',
    '',
    { name: 'third', base_url: third.url, models: [{ model: 'm', weight: 100, priority: 0 }] },
    201,
  );
  await publishCosts(id, 'third');
  const load = startLoad();
  await waitFor(() => [0, 1].every((index) => third.seen.some(({ gateway }) => gateway === index)));
  await waitFor(() => third.seen.length > 20 * LONG_STREAMS);
  third.kill();
  const atDeath = load.results.length;
  await waitFor(() => load.results.length > atDeath + 300);
  const bad = failed(await load.stop());
  figures.brokenStreams = bad.length;
  figures.callsAroundDeath = load.results.length;
  // A stream that had begun has status 200 and ends with an error; no call is refused, and none that had not begun.
  expect(bad.every(({ status, errorCode }) => status === 200 && errorCode === null)).toBe(true);
  expect(bad.length).toBeLessThanOrEqual(CLIENTS);
  expect(load.results.slice(atDeath + CLIENTS).every(({ complete }) => complete)).toBe(true);
});

test('two gateways together keep the limit of an upstream, and tell clients that it is full', async () => {
  const { upstreams } = await byAdmin<{ upstreams: { id: string; name: string }[] }>('GET', '');
  const idOf = (wanted: string) => upstreams.find(({ name }) => name === wanted)!.id;
  await byAdmin('DELETE', `/${idOf('third')}`, undefined, 204);
  await byAdmin('PATCH', `/${idOf('second')}`, { concurrency: CONCURRENCY });
  await sleep(2 * IN_FORCE_MILLIS);
  second.mostRunning = 0;
  const load = startLoad();
  await waitFor(() => load.results.filter(({ complete }) => complete).length > 100);
  const refused = failed(await load.stop());
  expect(second.mostRunning).toBeLessThanOrEqual(CONCURRENCY);
  expect(refused.length).toBeGreaterThan(0);
  expect(new Set(refused.map(({ status, errorCode }) => `${status} ${errorCode}`))).toEqual(
    new Set(['429 upstream_busy']),
  );
});

test('no gateway was restarted, and every call is billed and has its margin', async () => {
  expect(gateways.map(({ pid, isRunning }) => [pid, isRunning])).toEqual(pids.map((pid) => [pid, true]));
  await runReconcile(database);

  const { rows: events } = await database.pool.query<{
    upstream: string;
    outcome: string;
    revenue: bigint;
    cost: bigint | null;
    at: Date;
  }>(
    `SELECT upstream, outcome, cost_picos::bigint AS revenue, occurred_at AS at,
       (SELECT sum((c ->> 'cost_picos')::numeric)::bigint FROM jsonb_array_elements(upstream_costs) c) AS cost
     FROM metering.usage_events`,
  );
  // Each answer once, those that broke in the middle, too.
  const whole = events.filter(({ outcome }) => outcome === 'completed');
  expect([whole.length, events.length - whole.length]).toEqual([answered.whole, answered.broken]);
  const [priceOfOne, costOfOne] = [RATES, COST_RATES].map(
    ([input, output]) => BigInt(PROMPT_TOKENS) * input + BigInt(CHUNKS) * output,
  );
  expect(new Set(whole.map(({ revenue }) => revenue))).toEqual(new Set([priceOfOne]));
  // What an upstream takes is known from two seconds after it was told, and some streams end later.
  const unknown = events.filter(({ cost }) => cost === null);
  const late = unknown.filter(({ upstream, at }) => at.getTime() > pricedAt[upstream]! + 2 * IN_FORCE_MILLIS);
  expect(late).toEqual([]);
  expect(new Set(whole.flatMap(({ cost }) => cost ?? []))).toEqual(new Set([costOfOne]));

  const sum = (values: (bigint | null)[]) =>
    values.reduce<bigint>((total, value) => total + (value ?? 0n), 0n);
  const { rows: uncharged } = await database.pool.query<{ cost: bigint }>(
    'SELECT coalesce(sum(cost_picos), 0)::bigint AS cost FROM metering.uncharged_costs',
  );
  const day = (millis: number) => new Date(millis).toISOString().slice(0, 10);
  const report = await consoleBody<{ total: Record<string, unknown> }>(
    consoleService.url,
    'GET',
    `/api/admin/reports/margin?from=${day(Date.now() - DAY_MILLIS)}&to=${day(Date.now() + DAY_MILLIS)}&group_by=upstream`,
    { token },
  );
  const totalOf = (name: string) => Number(String(report.total[name]));
  const revenue = sum(events.map((event) => event.revenue));
  const cost = sum([...events.map((event) => event.cost), uncharged[0]!.cost]);
  const uncosted = sum(unknown.map((event) => event.revenue));
  expect([totalOf('calls'), totalOf('calls_without_cost')]).toEqual([events.length, unknown.length]);
  expect(totalOf('revenue')).toBeCloseTo(Number(revenue) / PICOS, 9);
  expect(totalOf('cost')).toBeCloseTo(Number(cost) / PICOS, 9);
  expect(totalOf('margin')).toBeCloseTo(Number(revenue - uncosted - cost) / PICOS, 9);
  figures.ofReport = Object.fromEntries(
    Object.entries(report.total).map(([name, figure]) => [name, String(figure)]),
  );
  figures.byHandPicos = {
    ofACall: [priceOfOne, costOfOne].map(Number),
    revenue: Number(revenue),
    cost: Number(cost),
  };
});
