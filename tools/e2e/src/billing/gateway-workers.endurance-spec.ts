import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import {
  createTestDatabase,
  findFreePort,
  insertAccount,
  publishPrices,
  type TestDatabase,
  valueOf,
  waitFor,
} from '@inference/testing';
import { readLeases, readLedgerTotals, runReconcile, wronglyBilled } from './ledger-totals';
import { type CallResult } from '../load/call-result';
import { ContinuousLoad, LOAD_PRICES } from '../load/continuous-load';
import { rawCall } from '../load/raw-calls';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

const WORKERS = 3;
const KILLS = 15;
const CONCURRENCY = 16;
const LEASE_TTL_SECONDS = 2;
const PLENTY_PICOS = 100_000_000_000_000n;
const AFFORDABLE = 40;
const TOKENS = 8;
const RATE_PICOS = 333_333n;
const COST_PICOS = BigInt(TOKENS) * RATE_PICOS;
const FIXED_MODEL = 'sandbox-chat';

let database: TestDatabase;
let site: Site;
let engine: ServiceProcess;
let gateway: ServiceProcess;
let metricsUrl: string;
let livenessUrl: string;
let apiKey: string;
let environment: Record<string, string>;

beforeAll(async () => {
  database = await createTestDatabase();
  const fixed = { slug: FIXED_MODEL, unit: 'per_million_output_tokens', ratePicos: RATE_PICOS } as const;
  await publishPrices(database.pool, [...LOAD_PRICES, fixed]);
  ({ apiKey } = await insertAccount(database.pool, { balancePicos: PLENTY_PICOS }));
  site = new Site(database);
  engine = await site.startEngine();
  const metricsPort = await findFreePort();
  metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
  livenessUrl = `http://127.0.0.1:${metricsPort}/livez`;
  environment = {
    GATEWAY_WORKERS: String(WORKERS),
    LEASE_TTL_SECONDS: String(LEASE_TTL_SECONDS),
  };
  gateway = await site.startGateway(engine, { ...environment, METRICS_PORT: String(metricsPort) });
  await untilAllListen(gateway);
});

afterAll(async () => {
  await site?.stop();
  await database?.drop();
});

const startLoad = () => new ContinuousLoad([gateway.url], [apiKey], CONCURRENCY);

const untilAllListen = (service: ServiceProcess) =>
  waitFor(() => service.output.split('A worker listens.').length > WORKERS);

/** The processes of a gateway that have lately answered requests whose log line has this text. */
function answeringPids({ output } = gateway, text = '"req":'): number[] {
  const lines = output.split('\n').filter((line) => /^\{.*"req":.*\}$/.test(line) && line.includes(text));
  return [...new Set(lines.map((line) => (JSON.parse(line) as { pid: number }).pid))];
}

/** The workers of a gateway, whether they listen already or not. */
function workerPids({ pid } = gateway): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.trim().split(' ').map(Number);
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function scrape(): Promise<string> {
  return (await fetch(metricsUrl)).text();
}

async function countedChats(): Promise<number> {
  const counts = /^http_request_duration_seconds_count\{.*chat\/completions.*\} (\d+)$/gm;
  return [...(await scrape()).matchAll(counts)].reduce((sum, [, count]) => sum + Number(count), 0);
}

test('all workers serve, and their metrics are one', async () => {
  const load = startLoad();
  await waitFor(() => load.results.length > 100);
  const results = await load.stop();
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200]));
  expect(answeringPids().sort()).toEqual(workerPids().sort());
  expect(workerPids()).toHaveLength(WORKERS);
  await waitFor(async () => (await countedChats()) === results.length);
  const metrics = await scrape();
  expect(metrics).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect(valueOf(metrics, 'gateway_usage_events_total{outcome="settled"}')).toBe(results.length);
  // Of each worker, and no sum.
  expect(valueOf(metrics, 'database_up')).toBe(1);
  expect(valueOf(metrics, 'gateway_oldest_unsettled_event_seconds')).toBe(0);
  expect(await wronglyBilled(database.pool, results)).toEqual([]);
});

test('the gateway is alive while all of its workers are', async () => {
  const liveness = async () => {
    const response = await fetch(livenessUrl);
    return [response.status, await response.text()];
  };
  const alive = [200, '{"status":"ok"}'];
  expect(await liveness()).toEqual(alive);
  const [hanging] = workerPids();
  process.kill(hanging!, 'SIGSTOP');
  const outcome = await liveness().finally(() => process.kill(hanging!, 'SIGCONT'));
  expect(outcome).toEqual([503, '{"error":"a worker does not answer"}']);
  await waitFor(async () => (await liveness())[0] === 200);
});

test('a wallet is not overdrawn by requests to all workers at once', async () => {
  const account = await insertAccount(database.pool, { balancePicos: BigInt(AFFORDABLE) * COST_PICOS });
  const call = (): Promise<CallResult> =>
    rawCall({
      gatewayUrl: gateway.url,
      apiKey: account.apiKey,
      body: { model: FIXED_MODEL, messages: [{ role: 'user', content: 'Hello' }], max_tokens: TOKENS },
    });
  const results = await Promise.all(Array.from({ length: 10 * AFFORDABLE }, call));
  const served = results.filter(({ complete }) => complete).length;
  expect(results.filter(({ status }) => status !== 200 && status !== 402)).toEqual([]);
  // Each worker may keep a remainder of a lease that is too small for a request.
  expect(served).toBeGreaterThan(AFFORDABLE - WORKERS);
  expect(served).toBeLessThanOrEqual(AFFORDABLE);
  const cost = BigInt(served) * COST_PICOS;
  expect(await readLedgerTotals(database.pool, account.accountId)).toEqual({
    events: cost,
    rollup: cost,
    debits: cost,
    balance: BigInt(AFFORDABLE) * COST_PICOS - cost,
  });
});

test(`complete responses are billed once while ${KILLS} workers are killed with -9`, async () => {
  const load = startLoad();
  const { pid } = gateway;
  for (let kills = 0; kills < KILLS; kills++) {
    await waitFor(() => workerPids().length > 1);
    const pids = workerPids();
    process.kill(pids[kills % pids.length]!, 'SIGKILL');
    const done = load.results.length;
    await waitFor(() => load.results.length > done + CONCURRENCY);
  }
  await waitFor(() => workerPids().length === WORKERS);
  const results = await load.stop();
  expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200, 0]));
  expect(await wronglyBilled(database.pool, results)).toEqual([]);
  expect(gateway.isRunning && gateway.pid).toBe(pid);
});

test('SIGTERM lets requests end, returns all leases and ends every worker', async () => {
  const load = startLoad();
  await waitFor(() => load.results.length > CONCURRENCY);
  const pids = workerPids();
  expect(pids).toHaveLength(WORKERS);
  expect(await gateway.stop()).toBe(true);
  const results = await load.stop();
  expect(results.filter(({ status, complete }) => status === 200 && !complete)).toEqual([]);
  expect(await wronglyBilled(database.pool, results)).toEqual([]);
  expect(pids.filter(isAlive)).toEqual([]);
  // Leases of workers that were killed expire.
  await waitFor(async () => {
    await database.pool.query('SELECT wallet.reclaim_expired_leases()');
    return (await readLeases(database.pool)).leases === 0n;
  });
  expect(await runReconcile(database)).toContain('no difference');
});

test('workers end with a process that is killed, and their port is free', async () => {
  await gateway.start();
  const load = startLoad();
  await waitFor(() => load.results.length > CONCURRENCY);
  const pids = workerPids();
  await gateway.kill();
  await waitFor(() => !pids.some(isAlive));
  await gateway.start();
  const results = await load.stop();
  expect(await wronglyBilled(database.pool, results)).toEqual([]);
  expect(await runReconcile(database)).toContain('no difference');
});

test('workers answer during the shutdown delay, also when SIGTERM reaches each of them twice', async () => {
  const delayed = await site.startGateway(engine, { ...environment, SHUTDOWN_DELAY_SECONDS: '300' });
  await untilAllListen(delayed);
  const pids = workerPids(delayed);
  const health = async () => (await fetch(`${delayed.url}/healthz`)).status;
  const isUnhealthy = async () => {
    // Each request goes to the next worker.
    for (let request = 0; request < 3 * WORKERS; request += 1) if ((await health()) !== 503) return false;
    return true;
  };
  for (const pid of [delayed.pid, ...pids]) process.kill(pid, 'SIGTERM');
  await waitFor(isUnhealthy);
  for (const pid of [delayed.pid, ...pids]) process.kill(pid, 'SIGTERM');
  for (let request = 0; request < 10 * WORKERS; request += 1) {
    const answer = await fetch(`${delayed.url}/v1/models`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  }
  expect(await isUnhealthy()).toBe(true);
  await waitFor(() => answeringPids(delayed, '/v1/models').length === WORKERS);
  expect(pids.filter(isAlive)).toEqual(pids);
  process.kill(delayed.pid, 'SIGINT');
  await waitFor(() => !delayed.isRunning && !pids.some(isAlive));
});

test('a start fails with the reason if the workers cannot listen', async () => {
  await gateway.stop();
  const blocker = createServer((socket) => socket.destroy());
  blocker.listen(Number(new URL(gateway.url).port), '127.0.0.1');
  await once(blocker, 'listening');
  await expect(gateway.start()).rejects.toThrow('gateway did not start');
  // The error has only the end of the output, which may be what other workers have logged meanwhile.
  expect(gateway.output).toContain('EADDRINUSE');
  blocker.close();
});
