import {
  createTestDatabase,
  insertAccount,
  type Issuer,
  publishPrices,
  startIssuer,
  type TestAccount,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { usageOf } from '../agent/agent-records';
import { readLedgerTotals, readLeases, runReconcile } from '../billing/ledger-totals';
import { closeHours } from '../billing/close-hours';
import { MemoCaller } from './memo-calls';
import { readRouterCost } from '../billing/router-cost-report';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

const MODEL = 'sandbox-chat';
/** Would take twenty seconds. */
const LONG = 'sandbox-chat+tokens-400+delay-50';
const RATE_PICOS = 1_000_000n;
const PLENTY_PICOS = 10n ** 15n;
const DAY_MILLIS = 86_400_000;
const QUESTION = 'Within how many days are refunds issued?';
const POLICY = { title: 'Refund policy', text: 'Refunds are issued within five days of the return.' };

interface Member extends TestAccount {
  caller: MemoCaller;
}

interface Served {
  requests: number;
  prompt_tokens: number;
  completion_tokens: number;
  aborted: number;
}

interface Message {
  role: string;
  content: string;
  status: string;
}

let database: TestDatabase;
let issuer: Issuer;
let site: Site;
let engine: ServiceProcess;
let memo: ServiceProcess;
/** A second memo process for the same workspace, with a slow model. */
let slow: ServiceProcess;
let owner: Member;
let workspace: string;

beforeAll(async () => {
  [database, issuer] = await Promise.all([createTestDatabase(), startIssuer()]);
  const price = { unit: 'per_million_tokens' as const, ratePicos: RATE_PICOS };
  await publishPrices(
    database.pool,
    [MODEL, LONG].map((slug) => ({ slug, ...price })),
  );
  site = new Site(database);
  engine = await site.startEngine();
  const gateway = await site.startGateway(engine, { LEASE_TTL_SECONDS: '2' });
  [memo, slow] = (await Promise.all(
    [MODEL, LONG].map((model) => site.startMemo(gateway, { CONSOLE_URL: issuer.url, CHAT_MODEL: model })),
  )) as [ServiceProcess, ServiceProcess];
  owner = await newMember(PLENTY_PICOS);
  workspace = await owner.caller.newWorkspace();
  await owner.caller.addDocument(workspace, POLICY);
});

afterAll(async () => {
  await site?.stop();
  await issuer?.close();
  await database?.drop();
});

async function newMember(balancePicos: bigint): Promise<Member> {
  const account = await insertAccount(database.pool, { balancePicos });
  await database.pool.query('UPDATE accounts.accounts SET email_verified_at = now() WHERE id = $1', [
    account.accountId,
  ]);
  const { token } = await issuer.signIn(database.pool, account.accountId);
  return { ...account, caller: new MemoCaller(memo.url, { Authorization: `Bearer ${token}` }) };
}

/** Another account with its own wallet and the role viewer. */
async function newViewer(balancePicos: bigint): Promise<Member> {
  const viewer = await newMember(balancePicos);
  const body = { email: `${viewer.accountId.toLowerCase()}@example.com`, role: 'viewer' };
  const path = `/${workspace}/invitations`;
  await viewer.caller.accept((await owner.caller.json<{ id: string }>('POST', path, body, 201)).id);
  return viewer;
}

const readServed = async () => (await (await fetch(`${engine.url}/_sandbox/served`)).json()) as Served;

/** The tokens that the engine has produced during the work. */
async function servedBy(run: () => Promise<void>): Promise<Served> {
  const before = await readServed();
  await run();
  const after = await readServed();
  const names = Object.keys(before) as (keyof Served)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as unknown as Served;
}

async function answerOf(caller: MemoCaller, query = QUESTION): Promise<string> {
  const response = await caller.chat(workspace, query);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.stringContaining('data: Citations: ')]);
  return text;
}

async function expectInBooks(accountId: string, usage: object[], tokens: bigint): Promise<void> {
  expect(await usageOf(database.pool, accountId)).toEqual(usage);
  const cost = tokens * RATE_PICOS;
  const books = { events: cost, rollup: cost, debits: cost, balance: PLENTY_PICOS - cost };
  expect(await readLedgerTotals(database.pool, accountId)).toEqual(books);
}

const completed = ({ prompt_tokens: input, completion_tokens: output }: Served) => ({
  ...{ entrypoint: 'memo', outcome: 'completed' },
  ...{ input_tokens: input, output_tokens: output },
});
const tokensOf = (served: Served) => BigInt(served.prompt_tokens + served.completion_tokens);

test('the owner of the session, or the creator of the key, pays for a question', async () => {
  const viewer = await newViewer(PLENTY_PICOS);
  const key = await viewer.caller.newKey(workspace);
  const bySession = await servedBy(async () => void (await answerOf(owner.caller)));
  await expectInBooks(owner.accountId, [completed(bySession)], tokensOf(bySession));
  const byKey = await servedBy(
    async () => void (await answerOf(new MemoCaller(memo.url, { 'X-API-Key': key }))),
  );
  await expectInBooks(viewer.accountId, [completed(byKey)], tokensOf(byKey));
  expect(await usageOf(database.pool, owner.accountId)).toHaveLength(1);

  const routerCost = await site.startRouterCost();
  await closeHours(database.pool);
  for (const [{ apiKey }, served] of [
    [owner, bySession],
    [viewer, byKey],
  ] as const) {
    const items = await readRouterCost(
      routerCost.url,
      { Authorization: `Bearer ${apiKey}` },
      { from: new Date(Date.now() - DAY_MILLIS).toISOString(), group_by: 'model,entrypoint' },
    );
    const tokens = tokensOf(served);
    expect(items).toEqual([{ model: MODEL, entrypoint: 'memo', tokens, costUsdPicos: tokens * RATE_PICOS }]);
  }
});

test('an empty wallet gets 402 before a stream begins, and no model is called', async () => {
  const poor = await newViewer(0n);
  const served = await servedBy(async () => {
    const response = await poor.caller.chat(workspace, QUESTION);
    expect([response.status, await response.json()]).toEqual([
      402,
      {
        error: expect.any(String) as string,
        code: 'insufficient_balance',
        missing_amount: expect.any(String) as string,
      },
    ]);
  });
  expect(served.requests).toBe(0);
  expect(await usageOf(database.pool, poor.accountId)).toEqual([]);
  expect(await poor.caller.json('GET', `/${workspace}/conversations`)).toMatchObject({ conversations: [] });
});

test('a question without matching passages is free', async () => {
  const viewer = await newViewer(PLENTY_PICOS);
  const served = await servedBy(async () => {
    expect(await answerOf(viewer.caller, 'Zebra xylophone?')).toContain('data: Citations: none\n');
  });
  expect(served.requests).toBe(0);
  await expectInBooks(viewer.accountId, [], 0n);
});

test('a client that disconnects pays for the tokens that were generated', async () => {
  const viewer = await newViewer(PLENTY_PICOS);
  const reader = new MemoCaller(slow.url, { 'X-API-Key': await viewer.caller.newKey(workspace) });
  let conversation = '';
  const served = await servedBy(async () => {
    const leaving = new AbortController();
    const response = await reader.chat(workspace, QUESTION, leaving.signal);
    conversation = response.headers.get('X-Conversation-Id')!;
    const body = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    for (let seen = ''; seen.split('data:').length < 4;) seen += (await body.read()).value ?? 'data:';
    leaving.abort();
    await waitFor(async () => (await usageOf(database.pool, viewer.accountId)).length === 1);
    await waitFor(async () => (await readServed()).aborted === 1);
  });
  expect(served).toMatchObject({ requests: 1, aborted: 1 });
  expect(served.completion_tokens).toBeLessThan(400);

  const [usage] = await usageOf(database.pool, viewer.accountId);
  expect(usage).toMatchObject({ entrypoint: 'memo', outcome: 'disconnected' });
  expect(usage!.output_tokens).toBeGreaterThanOrEqual(3);
  // Counted by the gateway, whose count differs slightly from the engine's.
  expect(usage!.output_tokens).toBeLessThanOrEqual(2 * served.completion_tokens);
  await expectInBooks(viewer.accountId, [usage!], BigInt(usage!.input_tokens + usage!.output_tokens));
  const path = `/${workspace}/conversations/${conversation}`;
  const { messages } = await waitFor(() =>
    viewer.caller.json<{ messages: Message[] }>('GET', path).catch(() => null),
  );
  expect(messages[1]).toMatchObject({ role: 'assistant', status: 'cancelled' });
});

test('no lease remains, and the ledger is consistent', async () => {
  await site.stop();
  await waitFor(async () => {
    await database.pool.query('SELECT wallet.reclaim_expired_leases()');
    return (await readLeases(database.pool)).leases === 0n;
  });
  expect(await runReconcile(database)).toContain('no difference');
});
