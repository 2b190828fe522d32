import { setTimeout as sleep } from 'node:timers/promises';
import { reconcile } from '@inference/metering';
import {
  createTestDatabase,
  insertApiKey,
  publishPrices,
  publishTrainingPrice,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { askConsole, consoleBody } from '../site/console-client';
import { MemoCaller } from '../memo/memo-calls';
import { createAdmin } from '../site/create-admin';
import { Site } from '../site/site';

jest.setTimeout(600_000);

/** Answers for some minutes. */
const SLOW = 'sandbox-chat+tokens-4000+delay-50';
const ADMIN = { email: 'staff@example.com', password: 'correct horse battery' };
const PASSWORD = 'correct horse battery';
const STREAMS_PER_GATEWAY = 10;
const BALANCE = '1000';
const ONE_SECOND = 1_000;
const FIVE_SECONDS = 5_000;
const MESSAGES = [{ role: 'user', content: 'Hello' }];

interface Customer {
  accountId: string;
  token: string;
  apiKey: string;
  apiKeyId: string;
}

let database: TestDatabase;
let site: Site;
let urls: Record<
  'console' | 'gateway' | 'secondGateway' | 'agent' | 'secondAgent' | 'memo' | 'routerCost' | 'training',
  string
>;
let adminToken: string;
let customers = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  site = new Site(database);
  await publishPrices(
    database.pool,
    ['sandbox-chat', SLOW].map((slug) => ({ slug, unit: 'per_million_tokens', ratePicos: 1_000_000n })),
  );
  await publishTrainingPrice(database.pool, 1n);
  const engine = await site.startEngine();
  const [gateway, secondGateway] = await Promise.all([site.startGateway(engine), site.startGateway(engine)]);
  const [consoleApp, agent, secondAgent, memo, routerCost, training] = await Promise.all([
    site.startConsole({ GATEWAY_URL: gateway.url }),
    site.startAgent(gateway),
    site.startAgent(secondGateway),
    site.startMemo(gateway, { CHAT_MODEL: SLOW }),
    site.startRouterCost(),
    site.startPlain('training'),
  ]);
  urls = {
    ...{ console: consoleApp.url, gateway: gateway.url, secondGateway: secondGateway.url },
    ...{ agent: agent.url, secondAgent: secondAgent.url, memo: memo.url },
    ...{ routerCost: routerCost.url, training: training.url },
  };
  await createAdmin(database.urlFor('console'), 'intl', ADMIN);
  const json = { identifier: ADMIN.email, password: ADMIN.password };
  ({ token: adminToken } = await consoleBody<{ token: string }>(urls.console, 'POST', '/api/auth/login', {
    json,
  }));
});

afterAll(async () => {
  await site?.stop();
  await database?.drop();
});

async function newCustomer(): Promise<Customer> {
  const json = { email: `suspended-${++customers}@example.com`, password: PASSWORD };
  const { token, user } = await consoleBody<{ token: string; user: { id: string } }>(
    urls.console,
    'POST',
    '/api/auth/register',
    { json, status: 201 },
  );
  const { id: accountId } = user;
  await consoleBody(urls.console, 'POST', '/api/admin/billing/adjustments', {
    token: adminToken,
    json: { account_id: accountId, amount: BALANCE, description: 'For the proof' },
    status: 201,
  });
  return { accountId, token, ...(await insertApiKey(database.pool, accountId)) };
}

interface Stream {
  text: string;
  /** When the last byte came, and when the response ended. */
  lastByteAt: number;
  ended: Promise<number>;
}

async function openStream(url: string, credential: string, body: unknown): Promise<Stream> {
  return read(
    await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${credential}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}

async function read(response: Response): Promise<Stream> {
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const stream: Stream = { text: '', lastByteAt: 0, ended: Promise.resolve(0) };
  stream.ended = (async () => {
    for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
      stream.text += part;
      stream.lastByteAt = performance.now();
    }
    return performance.now();
  })();
  return stream;
}

const chat = (gatewayUrl: string, { apiKey }: Customer) =>
  openStream(`${gatewayUrl}/v1/chat/completions`, apiKey, { model: SLOW, messages: MESSAGES, stream: true });

async function talk(agentUrl: string, { apiKey }: Customer, id: string): Promise<Stream> {
  const sessions = `${agentUrl}/v1/agents/sessions`;
  const made = await fetch(sessions, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ id, model: SLOW }),
  });
  if (made.status !== 201) throw new Error(`${made.status} ${await made.text()}`);
  return openStream(`${sessions}/${id}/events/stream`, apiKey, { role: 'user', content: 'Hello' });
}

/** The answer to a question about a document of the customer's own workspace, which has begun. */
async function ask({ accountId, token }: Customer): Promise<Stream> {
  await database.pool.query('UPDATE accounts.accounts SET email_verified_at = now() WHERE id = $1', [
    accountId,
  ]);
  const caller = new MemoCaller(urls.memo, { Authorization: `Bearer ${token}` });
  const workspace = await caller.newWorkspace();
  await caller.addDocument(workspace, { title: 'Refunds', text: 'Refunds are issued within five days.' });
  return read(await caller.chat(workspace, 'When are refunds issued?'));
}

type Probe = () => Promise<number>;

/** The status of every service for the credentials of a customer. */
function probesOf({ token, apiKey }: Customer): Record<string, Probe> {
  const get = async (url: string, headers: Record<string, string>) => {
    const response = await fetch(url, { headers });
    await response.text();
    return response.status;
  };
  const key = { Authorization: `Bearer ${apiKey}` };
  const session = { Authorization: `Bearer ${token}` };
  return {
    console: () => get(`${urls.console}/api/auth/me`, session),
    'gateway 1': () => get(`${urls.gateway}/v1/models`, key),
    'gateway 2': () => get(`${urls.secondGateway}/v1/models`, key),
    'agent 1': () => get(`${urls.agent}/v1/agents/sessions`, key),
    'agent 2': () => get(`${urls.secondAgent}/v1/agents/sessions`, key),
    memo: () => get(`${urls.memo}/v1/workspaces`, session),
    'router-cost': () => get(`${urls.routerCost}/v1/router/cost`, key),
    training: () => get(`${urls.training}/v1/capabilities`, session),
  };
}

async function staff(path: string): Promise<void> {
  const json = { reason: 'Proof of the endurance lane.' };
  const { status } = await askConsole(urls.console, 'POST', `/api/admin/accounts/${path}`, {
    token: adminToken,
    json,
  });
  expect(status).toBe(200);
}

test.each<['account' | 'key', number, string]>([
  ['account', 403, 'account_suspended'],
  ['key', 401, 'api_key_suspended'],
])('a suspended %s is shut out of all services, and its streams end', async (what, status, code) => {
  const [customer, other] = [await newCustomer(), await newCustomer()];
  const path = customer.accountId + (what === 'key' ? `/keys/${customer.apiKeyId}` : '');
  // The console, memo and training are asked with the session, which a suspended key does not concern.
  const probes = Object.entries(probesOf(customer)).filter(
    ([name]) => what === 'account' || !['console', 'memo', 'training'].includes(name),
  );
  for (const [name, probe] of probes) expect([name, await probe()]).toEqual([name, 200]);
  const gateways = [urls.gateway, urls.secondGateway];
  const many = gateways.flatMap((url) => Array.from({ length: STREAMS_PER_GATEWAY }, () => url));
  const streams = await Promise.all(many.map((url) => chat(url, customer)));
  const talks = await Promise.all(
    [urls.agent, urls.secondAgent].map((url, index) => talk(url, customer, `${what}-${index}`)),
  );
  // Workspaces are asked with the session, which a suspended key leaves.
  const answers = what === 'account' ? [await ask(customer)] : [];
  const others = await Promise.all(gateways.map((url) => chat(url, other)));
  await sleep(ONE_SECOND);

  await staff(`${path}/suspend`);
  const suspendedAt = performance.now();
  const refusals = await Promise.all(
    probes.map(async ([name, probe]) => {
      // How long an answer takes on a busy machine does not count: when the last call began that was served.
      let lastBegunAt = suspendedAt;
      for (let beganAt = performance.now(); (await probe()) !== status; beganAt = performance.now())
        lastBegunAt = beganAt;
      return [name, Math.round(lastBegunAt - suspendedAt)] as const;
    }),
  );
  const cut = [...streams, ...talks, ...answers];
  await Promise.all(cut.map(({ ended }) => ended));
  const lastByteOf = (some: Stream[]) =>
    Math.max(...some.map(({ lastByteAt }) => Math.round(lastByteAt - suspendedAt)));
  process.stdout.write(
    `${what}: the last call that was served began after ${refusals.map(([name, millis]) => `${name} ${millis} ms`).join(', ')}; ` +
      `last byte of ${streams.length} streams after ${lastByteOf(streams)} ms, of ${talks.length} turns after ${lastByteOf(talks)} ms` +
      `${answers.length > 0 ? `, of the answer of a workspace after ${lastByteOf(answers)} ms` : ''}\n`,
  );
  for (const [name, millis] of refusals) expect([name, millis < ONE_SECOND]).toEqual([name, true]);
  expect(lastByteOf(cut)).toBeLessThan(FIVE_SECONDS);
  for (const { text } of streams) expect(text.trimEnd().split('\n\n').at(-1)).toContain(code);
  for (const { text } of answers) expect(text.trimEnd().split('\n\n').at(-1)).toContain(code);
  for (const { text } of talks)
    expect(text.trimEnd().split('\n\n').at(-1)).toMatch(/^event: error\n[^]*"retryable":false/);

  // The calls of others go on.
  const heard = others.map(({ text }) => text.length);
  await waitFor(() => others.every(({ text }, index) => text.length > heard[index]!));
  // What was produced is paid, each call once, and nothing else.
  const { rows } = await waitFor(async () => {
    const found = await database.pool.query<{ outcome: string; output_tokens: bigint }>(
      'SELECT outcome, output_tokens FROM metering.usage_events WHERE account_id = $1',
      [customer.accountId],
    );
    return found.rows.length === cut.length && found;
  });
  expect(rows.every(({ outcome, output_tokens: tokens }) => outcome === 'interrupted' && tokens > 0n)).toBe(
    true,
  );
  expect(await reconcile(database.pool)).toEqual([]);

  await staff(`${path}/reactivate`);
  for (const [name, probe] of probes)
    await waitFor(async () => (await probe()) === 200).catch((error: unknown) => {
      throw new Error(`${name}: ${String(error)}`);
    });
  await staff(`${other.accountId}/suspend`);
  await Promise.all(others.map(({ ended }) => ended));
});
