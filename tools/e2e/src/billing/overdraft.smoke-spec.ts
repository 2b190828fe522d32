import {
  createTestDatabase,
  insertAccount,
  insertApiKey,
  publishPrices,
  type TestAccount,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { readLedgerTotals, runReconcile } from './ledger-totals';
import { type CallResult } from '../load/call-result';
import { rawCall } from '../load/raw-calls';
import { runConcurrently } from '../load/run-concurrently';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';
import { watchWallet } from './wallet-watch';

jest.setTimeout(600_000);

const AFFORDABLE = 40;
const TRIES = 10 * AFFORDABLE;
/** Each gateway may keep a remainder of a lease that is too small for a request. */
const LEASE_ROUNDING = 2;

const TOKENS = 8;
const RATE_PICOS = 333_333n;
const COST_PICOS = BigInt(TOKENS) * RATE_PICOS;

/** The worst case equals the cost. */
const FIXED_MODEL = 'sandbox-chat';
/** The cost is an eighth of the worst case. */
const SHORT_MODEL = `sandbox-chat+tokens-${TOKENS}`;
const SHORT_MAX_TOKENS = 64;
const SHORT_WORST_PICOS = BigInt(SHORT_MAX_TOKENS) * RATE_PICOS;

let database: TestDatabase;
let site: Site;
let gateways: ServiceProcess[];

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(
    database.pool,
    [FIXED_MODEL, SHORT_MODEL].map((slug) => ({
      slug,
      unit: 'per_million_output_tokens',
      ratePicos: RATE_PICOS,
    })),
  );
  site = new Site(database);
  const engine = await site.startEngine();
  gateways = await Promise.all([site.startGateway(engine), site.startGateway(engine)]);
});

afterAll(async () => {
  await site?.stop();
  await database?.drop();
});

function call(apiKey: string, index: number, model: string, maxTokens: number): Promise<CallResult> {
  const messages = [{ role: 'user', content: `Request ${index}` }];
  const body = { model, messages, max_tokens: maxTokens, stream: index % 3 === 0 };
  return rawCall({ gatewayUrl: gateways[index % gateways.length]!.url, apiKey, body });
}

const callFixed = (apiKey: string, index: number) => call(apiKey, index, FIXED_MODEL, TOKENS);
const callShort = (apiKey: string, index: number) => call(apiKey, index, SHORT_MODEL, SHORT_MAX_TOKENS);

/** Counts the served requests and the 402 refusals with their codes, and lists all unexpected results (`other`). */
function tally(results: CallResult[]) {
  const served = results.filter(({ status, complete }) => status === 200 && complete).length;
  const refused = results.filter(({ status }) => status === 402);
  return {
    served,
    refused: refused.length,
    codes: [...new Set(refused.map(({ errorCode }) => errorCode))],
    other: results.filter((result) => result.status !== 402 && !result.complete),
  };
}

/** Sends requests one after another until every gateway has refused one. Returns how many were served. */
async function useUp(
  { accountId, apiKey }: Pick<TestAccount, 'accountId' | 'apiKey'>,
  one: (key: string, index: number) => Promise<CallResult>,
): Promise<number> {
  let served = 0;
  for (let index = 0, refusals = 0; refusals < gateways.length; index++) {
    // Without requests, every gateway returns its unused money.
    if (refusals === 0) await waitFor(() => nothingIsLeased(accountId));
    const { served: more } = tally([await one(apiKey, index)]);
    served += more;
    refusals = more ? 0 : refusals + 1;
  }
  return served;
}

async function nothingIsLeased(accountId: string): Promise<boolean> {
  const { rows } = await database.pool.query<{ leased_picos: bigint }>(
    'SELECT leased_picos FROM wallet.balances WHERE account_id = $1',
    [accountId],
  );
  return rows[0]!.leased_picos === 0n;
}

const allAtOnce = (one: (index: number) => Promise<CallResult>) =>
  Promise.all(Array.from({ length: TRIES }, (_, index) => one(index)));

test(`a wallet for ${AFFORDABLE} requests serves ${AFFORDABLE} of ${TRIES} at once`, async () => {
  const account = await insertAccount(database.pool, { balancePicos: BigInt(AFFORDABLE) * COST_PICOS });
  let results: CallResult[] = [];
  let later = 0;
  const lowest = await watchWallet(database.pool, account.accountId, account.apiKeyId, async () => {
    results = await allAtOnce((index) => callFixed(account.apiKey, index));
    later = await useUp(account, callFixed);
  });
  const { served, refused, codes, other } = tally(results);
  expect(other).toEqual([]);
  expect(codes).toEqual(['insufficient_balance']);
  expect(served + refused).toBe(TRIES);
  expect(served).toBeGreaterThanOrEqual(AFFORDABLE - LEASE_ROUNDING);
  expect(served + later).toBe(AFFORDABLE);
  expect(lowest.balancePicos).toBe(0n);
  expect(lowest.freePicos).toBe(0n);
  expect(await readLedgerTotals(database.pool, account.accountId)).toMatchObject({
    events: BigInt(AFFORDABLE) * COST_PICOS,
    balance: 0n,
  });
});

test('requests that cost less than their maximum never overdraw a wallet', async () => {
  const affordable = 100;
  const balancePicos = BigInt(affordable) * COST_PICOS + SHORT_WORST_PICOS;
  const account = await insertAccount(database.pool, { balancePicos });
  const results: CallResult[] = [];
  const lowest = await watchWallet(database.pool, account.accountId, account.apiKeyId, async () => {
    for (let wave = 0; wave < 6; wave++) {
      const jobs = Array.from({ length: 100 }, (_, index) => () => callShort(account.apiKey, index));
      results.push(...(await runConcurrently(jobs, 50)));
    }
    await useUp(account, callShort);
  });
  const { served, refused, codes, other } = tally(results);
  const books = await readLedgerTotals(database.pool, account.accountId);
  expect(other).toEqual([]);
  expect(codes).toEqual(['insufficient_balance']);
  expect(served).toBeGreaterThan(0);
  expect(served + refused).toBe(results.length);
  expect(lowest.balancePicos).toBeGreaterThanOrEqual(0n);
  expect(lowest.freePicos).toBeGreaterThanOrEqual(0n);
  // Used up as far as a worst case allows.
  expect(books.balance).toBeLessThan(SHORT_WORST_PICOS);
  expect(books.events + books.balance).toBe(balancePicos);
});

test('the spending limit of a key is never exceeded', async () => {
  const account = await insertAccount(database.pool, { balancePicos: BigInt(TRIES) * COST_PICOS });
  const limited = await insertApiKey(database.pool, account.accountId, {
    spendLimitPicos: BigInt(AFFORDABLE) * COST_PICOS,
  });
  let results: CallResult[] = [];
  let later = 0;
  const lowest = await watchWallet(database.pool, account.accountId, limited.apiKeyId, async () => {
    results = await allAtOnce((index) => callFixed(limited.apiKey, index));
    later = await useUp({ ...account, apiKey: limited.apiKey }, callFixed);
  });
  const { served, refused, codes, other } = tally(results);
  expect(other).toEqual([]);
  expect(codes).toEqual(['key_spend_limit_reached']);
  expect(served + refused).toBe(TRIES);
  expect(served).toBeGreaterThanOrEqual(AFFORDABLE - LEASE_ROUNDING);
  expect(served + later).toBe(AFFORDABLE);
  expect(lowest.keyLeftPicos).toBe(0n);
  await expectUnlimitedKeyStillServes(account);
});

async function expectUnlimitedKeyStillServes({ apiKey }: TestAccount): Promise<void> {
  expect(await callFixed(apiKey, 0)).toMatchObject({ status: 200, complete: true });
}

test('the ledger is consistent', async () => {
  expect(await runReconcile(database)).toContain('no difference');
});
