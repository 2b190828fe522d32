import { setTimeout as sleep } from 'node:timers/promises';
import {
  createTestDatabase,
  insertAccount,
  publishPrices,
  type TestAccount,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { AgentCaller } from './agent-calls';
import { askEngine, messagesOf, turnsOf, usageOf } from './agent-records';
import { runReconcile } from '../billing/ledger-totals';
import { PostgresProcess } from '../site/postgres-process';
import { PackagedClient, PlainClient, UnreliableConnections } from './reconnecting-client';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

/** Takes about four seconds. */
const MODEL = 'sandbox-chat+tokens-80+delay-50';
const MODEL_AT_ONCE = 'sandbox-chat+tokens-80';
const SESSIONS = 12;
const CONNECTION_MILLIS = 800;
const OUTAGE_MILLIS = 2_500;
/** As the launcher sets it. */
const SHUTDOWN_GRACE_SECONDS = '8';
/** After which the launcher kills a service. */
const KILL_MILLIS = 15_000;

let postgres: PostgresProcess;
let database: TestDatabase;
let site: Site;
let connections: UnreliableConnections;
let engine: ServiceProcess;
let gateway: ServiceProcess;
let replicas: ServiceProcess[];

beforeAll(async () => {
  postgres = await PostgresProcess.create();
  process.env.TEST_DATABASE_URL = await postgres.start();
  database = await createTestDatabase();
  await publishPrices(database.pool, [{ slug: MODEL, unit: 'per_million_tokens', ratePicos: 1_000_000n }]);
  site = new Site(database);
  engine = await site.startEngine();
  gateway = await site.startGateway(engine, { SHUTDOWN_GRACE_SECONDS });
  replicas = await Promise.all(
    [0, 1].map(() => site.startAgent(gateway, { DEFAULT_MODEL: MODEL, SHUTDOWN_GRACE_SECONDS })),
  );
});

afterAll(async () => {
  connections?.close();
  await site?.stop();
  await database?.drop();
  await postgres?.remove();
});

const pids = () => replicas.map(({ pid, isRunning }) => (isRunning ? pid : 0));

const newAccount = () => insertAccount(database.pool, { balancePicos: 10n ** 15n });

async function expectOnRecord(account: TestAccount, sessionId: string, text: string): Promise<void> {
  const turns = turnsOf(await new AgentCaller(replicas[0]!.url, account.apiKey).events(sessionId));
  expect(turns).toMatchObject([{ answer: { status: 'completed', content: text }, ending: null }]);
  expect(text).toBe(await askEngine(engine, MODEL_AT_ONCE, messagesOf(turns)[0]!));
  const { prompt_tokens, completion_tokens } = turns[0]!.answer!.usage!;
  expect(await usageOf(database.pool, account.accountId)).toEqual([
    {
      entrypoint: 'agent',
      outcome: 'completed',
      input_tokens: prompt_tokens,
      output_tokens: completion_tokens,
    },
  ]);
}

test('turns continue after an outage of the database without loss, repetition or double billing', async () => {
  const before = pids();
  connections = new UnreliableConnections(
    replicas.map(({ url }) => url),
    CONNECTION_MILLIS,
    8,
  );
  const accounts = await Promise.all(Array.from({ length: SESSIONS }, newAccount));
  const saying = accounts.map(({ apiKey }, index) => {
    const Client = index % 2 === 0 ? PlainClient : PackagedClient;
    return new Client(connections, apiKey).say(`outage-${index}`, `Question of ${index}`);
  });
  const said = Promise.all(saying);
  await waitFor(() => connections.resumes >= SESSIONS);
  await postgres.stop();
  await sleep(OUTAGE_MILLIS);
  await postgres.start();
  for (const [index, turn] of (await said).entries()) {
    expect(turn).toMatchObject({ outcome: 'completed' });
    expect(turn.ids).toEqual(turn.ids.map((_, n) => `1.${n + 1}`));
    await expectOnRecord(accounts[index]!, `outage-${index}`, turn.text);
  }
  expect([...connections.statuses.keys()].sort()).toEqual([200, 503]);
  expect(pids()).toEqual(before);
});

test('queued turns run after an outage of the database', async () => {
  const { apiKey } = await newAccount();
  for (const [index, { url }] of replicas.entries()) {
    const caller = new AgentCaller(url, apiKey);
    await waitFor(() => caller.post(`afterwards-${index}`, 'Are you there?'));
  }
  for (const [index, { url }] of replicas.entries()) {
    const caller = new AgentCaller(url, apiKey);
    await waitFor(async () => (await caller.events(`afterwards-${index}`))[1]?.status === 'completed');
  }
  expect(await runReconcile(database)).toContain('no difference');
});

test('agents and gateway stop within their grace without a database, also amid a turn, whose end another tells', async () => {
  const { apiKey } = await newAccount();
  const caller = new AgentCaller(replicas[0]!.url, apiKey);
  await caller.post('stopped', 'Are you there?');
  await waitFor(async () => (await caller.events('stopped')).length > 0);
  await postgres.stop();
  const stops = [...replicas, gateway].map(async (service) => {
    const startedAt = performance.now();
    expect(await service.stop()).toBe(true);
    return performance.now() - startedAt;
  });
  for (const millis of await Promise.all(stops)) expect(millis).toBeLessThan(KILL_MILLIS);
  await postgres.start();
  await Promise.all([gateway, ...replicas].map((service) => service.start()));
  const last = await waitFor(async () => {
    const event = (await caller.events('stopped')).at(-1);
    return event?.role !== 'user' && event;
  });
  expect(last).toMatchObject({ error: { retryable: true } });
  expect(await runReconcile(database)).toContain('no difference');
});
