import { decimalToPicos } from '@inference/money';
import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  publishPrices,
  type TestDatabase,
} from '@inference/testing';
import { readLedgerTotals, readEvents, readLeases, runReconcile } from './ledger-totals';
import { type CallResult } from '../load/call-result';
import { costOf, type Job, type LoadKey, mixedJob, PRICES, SPLIT_SLUGS } from '../load/mixed-load';
import { seededRandom } from '../load/random';
import { readRouterCost } from './router-cost-report';
import { runConcurrently } from '../load/run-concurrently';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

jest.setTimeout(600_000);

const REQUESTS = 2_000;
const CONCURRENCY = 32;
const SEED = 20_261_121;
const DAY_MILLIS = 86_400_000;

const PLENTY_PICOS = 100_000_000_000_000n;
/** Runs out before the load is over. */
const SCARCE_PICOS = 4_000_000_000n;
const KEY_LIMIT_PICOS = 1_500_000_000n;

interface Served {
  job: Job;
  result: CallResult;
}

let database: TestDatabase;
let site: Site;
let gateways: ServiceProcess[];
let routerCost: ServiceProcess;
/** Opening balances and a key of each account. */
const accounts = new Map<string, { balancePicos: bigint; apiKey: string }>();
let served: Served[];

async function openAccount(balancePicos: bigint): Promise<LoadKey> {
  const { accountId, apiKey } = await insertAccount(database.pool, { balancePicos });
  accounts.set(accountId, { balancePicos, apiKey });
  return { account: accountId, apiKey, allowedModels: null, isShort: balancePicos < PLENTY_PICOS };
}

async function openKeys(): Promise<LoadKey[]> {
  const rich = await openAccount(PLENTY_PICOS);
  const limited = await openAccount(PLENTY_PICOS);
  const choosy = await openAccount(PLENTY_PICOS);
  const poor = await openAccount(SCARCE_PICOS);
  const limitedKey = await insertApiKey(database.pool, limited.account, { spendLimitPicos: KEY_LIMIT_PICOS });
  const choosyKey = await insertApiKey(database.pool, choosy.account, { allowedModels: SPLIT_SLUGS });
  return [
    rich,
    rich,
    limited,
    { ...limited, apiKey: limitedKey.apiKey, isShort: true },
    choosy,
    { ...choosy, apiKey: choosyKey.apiKey, allowedModels: SPLIT_SLUGS },
    poor,
    poor,
  ];
}

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(database.pool, PRICES);
  const keys = await openKeys();
  site = new Site(database);
  const engine = await site.startEngine();
  const timeouts = { UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS: '3', UPSTREAM_IDLE_TIMEOUT_SECONDS: '3' };
  [routerCost, ...gateways] = await Promise.all([
    site.startRouterCost(),
    site.startGateway(engine, timeouts),
    site.startGateway(engine, timeouts),
  ]);
  const random = seededRandom(SEED);
  const urls = gateways.map(({ url }) => url);
  const jobs = Array.from({ length: REQUESTS }, () => mixedJob(random, keys, urls));
  served = await runConcurrently(
    jobs.map((job) => async () => ({ job, result: await job.run() })),
    CONCURRENCY,
  );
});

afterAll(async () => {
  await site?.stop();
  await database?.drop();
});

const codesOf = (results: Served[]) => new Set(results.map(({ result }) => result.errorCode));

test('every request has the expected status', () => {
  const unexpected = served.filter(({ job, result }) => {
    if (result.status === 402) return !job.key.isShort;
    return result.status !== job.expectedStatus;
  });
  expect(
    unexpected.map(({ job, result }) => ({ model: job.model, expected: job.expectedStatus, result })),
  ).toEqual([]);
  const refused = served.filter(({ result }) => result.status === 402);
  expect(codesOf(refused)).toEqual(new Set(['insufficient_balance', 'key_spend_limit_reached']));
  expect(codesOf(served.filter(({ result }) => result.status === 403))).toEqual(
    new Set(['model_not_allowed']),
  );
  expect(
    served.filter(({ job, result }) => job.leavesEarly && !result.complete && result.status === 200).length,
  ).toBeGreaterThan(50);
  expect(served.filter(({ result }) => result.complete).length).toBeGreaterThan(REQUESTS / 2);
});

test('each complete response has one usage event, whose cost is usage times price and what the response tells', async () => {
  const events = await readEvents(database.pool);
  const wrong = served
    .filter(({ result }) => result.complete)
    .filter(({ job, result: { requestId, usage } }) => {
      const event = events.get(requestId ?? '');
      if (!event || event.outcome !== 'completed' || event.model !== job.model) return true;
      if (event.account_id !== job.key.account) return true;
      const input = usage?.inputTokens ?? Number(event.input_tokens);
      const output = usage?.outputTokens ?? Number(event.output_tokens);
      if (usage && decimalToPicos(usage.cost ?? NaN) !== event.cost_picos) return true;
      return event.cost_picos !== costOf(job.model, input, output);
    });
  expect(wrong).toEqual([]);
  const told = served.filter(({ result }) => result.complete && result.usage);
  expect(told.length).toBeGreaterThan(REQUESTS / 4);
});

test('requests that fail before the first token are free', async () => {
  const events = await readEvents(database.pool);
  const failed = served.filter(({ result }) => result.status !== 200);
  expect(failed.filter(({ result }) => result.requestId !== null && events.has(result.requestId))).toEqual(
    [],
  );
  const answered = new Set(
    served.filter(({ result }) => result.status === 200).map(({ result }) => result.requestId),
  );
  expect([...events.keys()].filter((id) => !answered.has(id))).toEqual([]);
});

test('gateways that shut down leave no money set aside', async () => {
  expect(await Promise.all(gateways.map((gateway) => gateway.stop()))).toEqual([true, true]);
  expect(await readLeases(database.pool)).toEqual({ leases: 0n, walletPicos: 0n, keyPicos: 0n });
  expect(await runReconcile(database)).toContain('no difference');
});

// Runs after the gateways have ended, because the charge for a client that disconnects is written after the disconnect.
test('events = rollup = debits = cost report = drop of the balance, for each account', async () => {
  for (const [accountId, { balancePicos, apiKey }] of accounts) {
    const books = await readLedgerTotals(database.pool, accountId);
    const spent = books.events;
    expect(spent).toBeGreaterThan(0n);
    const from = new Date(Date.now() - DAY_MILLIS).toISOString();
    const bearer = { Authorization: `Bearer ${apiKey}` };
    const [total] = await readRouterCost(routerCost.url, bearer, { from });
    const groups = await readRouterCost(routerCost.url, bearer, {
      from,
      group_by: 'model,entrypoint',
      limit: '7',
    });
    expect({
      ...books,
      reported: total?.costUsdPicos,
      grouped: groups.reduce((sum, { costUsdPicos }) => sum + costUsdPicos, 0n),
    }).toEqual({
      events: spent,
      rollup: spent,
      debits: spent,
      balance: balancePicos - spent,
      reported: spent,
      grouped: spent,
    });
    expect(groups.reduce((sum, { tokens }) => sum + tokens, 0n)).toBe(total?.tokens);
  }
  expect(await runReconcile(database)).toContain('no difference');
});
