import { AgentClient } from '@inference/agent-client';
import { decimalToPicos } from '@inference/money';
import {
  createTestDatabase,
  publishPrices,
  rememberRequest,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { parse } from 'lossless-json';
import { closeHours } from '../billing/close-hours';
import { readLedgerTotals, runReconcile } from '../billing/ledger-totals';
import { readRouterCost } from '../billing/router-cost-report';
import { consoleBody } from '../site/console-client';
import { createAdmin } from '../site/create-admin';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

/** A browser calls models and agents at the console's address, with nothing but a session. */

const ADMIN = { email: 'admin@example.com', password: 'admin password of this test' };
const CUSTOMER = { email: 'customer@example.com', password: 'customer password of this test' };
const CREDIT = 25;
const MODEL = 'sandbox-chat';
/** Would take twenty seconds. */
const LONG = 'sandbox-chat+tokens-400+delay-50';
const INPUT_PICOS = 150_001n;
const OUTPUT_PICOS = 599_999n;
const MESSAGES = [{ role: 'user', content: 'Say something about the sea.' }];
const CHAT = '/api/playground/chat/completions';
const DAY_MILLIS = 86_400_000;

interface EventRow {
  request_id: string;
  entrypoint: string;
  api_key_id: string | null;
  outcome: string;
  input_tokens: bigint;
  output_tokens: bigint;
  cost_picos: bigint;
}

let database: TestDatabase;
let site: Site;
let consoleApp: ServiceProcess;
let routerCost: ServiceProcess;
let accountId: string;
let token: string;

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(
    database.pool,
    [MODEL, LONG].flatMap((slug) => [
      { slug, unit: 'per_million_input_tokens' as const, ratePicos: INPUT_PICOS },
      { slug, unit: 'per_million_output_tokens' as const, ratePicos: OUTPUT_PICOS },
    ]),
  );
  site = new Site(database);
  const gateway = await site.startGateway(await site.startEngine(), { LEASE_TTL_SECONDS: '2' });
  const agent = await site.startAgent(gateway);
  [consoleApp, routerCost] = await Promise.all([
    site.startConsole({ GATEWAY_URL: gateway.url, AGENT_URL: agent.url }),
    site.startRouterCost(),
    createAdmin(database.urlFor('console'), 'intl', ADMIN),
  ]);
  const { url } = consoleApp;
  ({
    token,
    user: { id: accountId },
  } = await consoleBody<{ token: string; user: { id: string } }>(url, 'POST', '/api/auth/register', {
    json: CUSTOMER,
    status: 201,
  }));
  const admin = await consoleBody<{ token: string }>(url, 'POST', '/api/auth/login', {
    json: { identifier: ADMIN.email, password: ADMIN.password },
  });
  await consoleBody(url, 'POST', '/api/admin/billing/adjustments', {
    token: admin.token,
    json: { account_id: accountId, amount: CREDIT, description: 'Credit' },
    status: 201,
  });
});

afterAll(async () => {
  await site?.stop();
  await database?.drop();
});

/** The response as it arrives. */
function open(method: string, path: string, body?: unknown, init: RequestInit = {}): Promise<Response> {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(init.headers as Record<string, string> | undefined),
  };
  rememberRequest(path, headers, body);
  return fetch(consoleApp.url + path, {
    method,
    ...init,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function events(): Promise<EventRow[]> {
  const { rows } = await database.pool.query<EventRow>(
    `SELECT request_id, entrypoint, api_key_id, outcome, input_tokens, output_tokens, cost_picos
     FROM metering.usage_events WHERE account_id = $1 ORDER BY occurred_at`,
    [accountId],
  );
  return rows;
}

const costOf = ({ input_tokens: input, output_tokens: output }: EventRow) =>
  input * INPUT_PICOS + output * OUTPUT_PICOS;

test('the models are those of the gateway', async () => {
  const models = (await (await open('GET', '/api/playground/models')).json()) as { data: { id: string }[] };
  expect(models.data.map(({ id }) => id).sort()).toEqual([MODEL, LONG].sort());
});

test('the estimate bounds the cost, which the request id names', async () => {
  const body = { model: MODEL, messages: MESSAGES, max_tokens: 8 };
  const estimate = parse(await (await open('POST', '/api/playground/estimate', body)).text()) as {
    worst_case: unknown;
  };
  const worstCasePicos = BigInt(Buffer.byteLength(JSON.stringify(body))) * INPUT_PICOS + 8n * OUTPUT_PICOS;
  expect(decimalToPicos(String(estimate.worst_case))).toBe(worstCasePicos);
  const response = await open('POST', CHAT, body);
  const { usage } = (await response.json()) as {
    usage: { prompt_tokens: number; completion_tokens: number };
  };
  const [event] = await events();
  expect(event).toMatchObject({
    request_id: response.headers.get('x-inference-request-id'),
    entrypoint: 'console',
    api_key_id: null,
    outcome: 'completed',
    input_tokens: BigInt(usage.prompt_tokens),
    output_tokens: BigInt(usage.completion_tokens),
  });
  expect(event!.cost_picos).toBe(costOf(event!));
  expect(event!.cost_picos).toBeLessThanOrEqual(worstCasePicos);
});

test('a stream is charged when it is complete, and for what was produced when the page leaves', async () => {
  const whole = await open('POST', CHAT, { model: MODEL, messages: MESSAGES, stream: true });
  expect(await whole.text()).toMatch(/data: \[DONE\]\n\n$/);
  const leaving = new AbortController();
  const long = await open(
    'POST',
    CHAT,
    { model: LONG, messages: MESSAGES, stream: true, max_tokens: 400 },
    { signal: leaving.signal },
  );
  await long.body!.getReader().read();
  leaving.abort();
  const [, complete, left] = await waitFor(async () => {
    const found = await events();
    return found.length === 3 && found;
  });
  expect(complete).toMatchObject({ outcome: 'completed', entrypoint: 'console' });
  expect(left).toMatchObject({ outcome: 'disconnected', entrypoint: 'console' });
  expect(left!.output_tokens).toBeLessThan(400n);
});

test('a turn of an agent goes on when the page leaves, and is resumed where it was', async () => {
  const path = '/api/agents/sessions/s/events/stream';
  const leaving = new AbortController();
  const first = await open('POST', path, { role: 'user', content: 'Hello' }, { signal: leaving.signal });
  const reader = first.body!.getReader();
  const { value } = await reader.read();
  const seen = [
    ...Buffer.from(value!)
      .toString()
      .matchAll(/^id: (.*)$/gm),
  ].at(-1)![1]!;
  leaving.abort();
  const rest = await open('GET', path, undefined, { headers: { 'Last-Event-ID': seen } });
  // Everything may have arrived before the page left.
  if (rest.status !== 204) expect(await rest.text()).toContain('event: turn.completed');
  await waitFor(async () => (await events()).length === 4);
  expect((await events())[3]).toMatchObject({ entrypoint: 'agent', api_key_id: null, outcome: 'completed' });
  const page = await open('GET', '/api/agents/sessions/s/events');
  expect(((await page.json()) as { events: { role: string }[] }).events.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
  ]);
});

test('the agent client works with the session', async () => {
  const client = new AgentClient({ baseUrl: consoleApp.url, apiPath: '/api/agents', token: () => token });
  expect(await client.stream('client', { role: 'user', content: 'Hello' }).finalText()).not.toBe('');
  expect(await client.sessions.get('client')).toMatchObject({ id: 'client', open_turns: [] });
});

test('events, rollup, debits, balance and cost report have the same sum', async () => {
  const total = (await events()).reduce((sum, event) => {
    expect(event.cost_picos).toBe(costOf(event));
    return sum + event.cost_picos;
  }, 0n);
  expect(total).toBeGreaterThan(0n);
  expect(await readLedgerTotals(database.pool, accountId)).toEqual({
    events: total,
    rollup: total,
    debits: total,
    balance: decimalToPicos(CREDIT) - total,
  });
  const key = await consoleBody<{ key: string }>(consoleApp.url, 'POST', '/api/api-keys', {
    token,
    json: { name: 'report' },
    status: 201,
  });
  await closeHours(database.pool);
  const report = await readRouterCost(
    routerCost.url,
    { Authorization: `Bearer ${key.key}` },
    {
      from: new Date(Date.now() - DAY_MILLIS).toISOString(),
      to: new Date().toISOString(),
      group_by: 'entrypoint',
    },
  );
  expect(report.map(({ entrypoint }) => entrypoint).sort()).toEqual(['agent', 'console']);
  expect(report.reduce((sum, { costUsdPicos }) => sum + costUsdPicos, 0n)).toBe(total);
  await runReconcile(database);
});
