import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import {
  createTestDatabase,
  findFreePort,
  insertAccount,
  publishPrices,
  type TestAccount,
  type TestDatabase,
  waitFor,
} from '@inference/testing';
import { readLedgerTotals, runReconcile } from './ledger-totals';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

/** Calls with an `Idempotency-Key` at gateways that are separate processes, while these hang, stop and are killed. */

jest.setTimeout(300_000);

const PLENTY_PICOS = 10n ** 15n;
const TOKENS = 5;
const RATE_PICOS = 600_000n;
const COST_PICOS = BigInt(TOKENS) * RATE_PICOS;
const MODEL = 'm';
const BODY = JSON.stringify({ model: MODEL, max_tokens: 16, messages: [{ role: 'user', content: 'x' }] });
const ANSWER = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: MODEL,
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 7, completion_tokens: TOKENS, total_tokens: 7 + TOKENS },
});
/** Longer than a claim of a process that has died. */
const LAPSE_MILLIS = 90_000;

let database: TestDatabase;
let site: Site;
let server: Server;
let account: TestAccount;
let owner: ServiceProcess;
let other: ServiceProcess;
let workers: ServiceProcess;
/** Calls that the model's server has not answered yet. */
let waiting: ServerResponse[] = [];
let calls = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  await publishPrices(database.pool, [
    { slug: MODEL, unit: 'per_million_output_tokens', ratePicos: RATE_PICOS },
  ]);
  server = createServer((request, response) => {
    if (request.method === 'GET') return void response.end('{"data":[]}');
    calls += 1;
    request.resume().once('end', () => waiting.push(response));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const upstream = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  site = new Site(database);
  const relayPort = String(await findFreePort());
  owner = await site.startGateway(upstream, { RELAY_PORT: relayPort });
  other = await site.startGateway(upstream);
  workers = await site.startGateway(upstream, { GATEWAY_WORKERS: '3' });
});
afterAll(async () => {
  server?.closeAllConnections();
  server?.close();
  await site?.stop();
  await database?.drop();
});
beforeEach(async () => {
  account = await insertAccount(database.pool, { balancePicos: PLENTY_PICOS });
  waiting = [];
  calls = 0;
});
afterEach(async () => {
  expect(await runReconcile(database)).toContain('no difference');
});

async function send(gateway: ServiceProcess, signal?: AbortSignal) {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${account.apiKey}`,
      'Idempotency-Key': 'k',
      // Each at the next worker.
      Connection: 'close',
    },
    body: BODY,
    ...(signal && { signal }),
  });
  const { error } = (await response.json()) as { error?: Record<string, string> };
  return {
    status: response.status,
    code: error?.code,
    error,
    isReplayed: response.headers.get('idempotent-replayed') === 'true',
    requestId: response.headers.get('x-request-id'),
  };
}

const isRunning = () => waitFor(() => waiting.length > 0);

async function answerOne(): Promise<void> {
  const response = await waitFor(() => waiting.shift());
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(ANSWER);
}

async function expectChargedOnce(): Promise<void> {
  await waitFor(async () => {
    const { debits } = await readLedgerTotals(database.pool, account.accountId);
    return debits === COST_PICOS;
  });
  const { rows } = await database.pool.query('SELECT FROM metering.usage_events WHERE account_id = $1', [
    account.accountId,
  ]);
  expect(rows).toHaveLength(1);
}

test('200 retries at once over processes and workers are one call and one charge', async () => {
  const gateways = [owner, other, workers];
  const sent = Array.from({ length: 200 }, (_, index) => send(gateways[index % gateways.length]!));
  await isRunning();
  await answerOne();
  const answers = await Promise.all([...sent, ...gateways.map((gateway) => send(gateway))]);
  expect(new Set(answers.map(({ status, requestId }) => `${status} ${requestId}`)).size).toBe(1);
  expect(answers[0]!.status).toBe(200);
  expect(answers.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
  expect(calls).toBe(1);
  await expectChargedOnce();
});

test('a retry reaches each worker of a gateway', async () => {
  const first = send(workers);
  await isRunning();
  const retries = Array.from({ length: 12 }, () => send(workers));
  await answerOne();
  const { requestId } = await first;
  for (const retry of await Promise.all(retries))
    expect(retry).toMatchObject({ status: 200, isReplayed: true, requestId });
  for (let retry = 0; retry < 12; retry++)
    expect(await send(workers)).toMatchObject({ status: 200, isReplayed: true, requestId });
  expect(calls).toBe(1);
  await expectChargedOnce();
});

test('a process that hangs keeps its call, and a retry gets the answer when it goes on', async () => {
  const first = send(owner);
  await isRunning();
  const joined = send(other);
  await new Promise((resolve) => setTimeout(resolve, 500));
  process.kill(owner.pid, 'SIGSTOP');
  try {
    // It has waited for signs of life before.
    expect(await joined).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
    expect(await send(other)).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
  } finally {
    process.kill(owner.pid, 'SIGCONT');
  }
  const retry = send(other);
  await answerOne();
  const { requestId } = await first;
  expect(await retry).toMatchObject({ status: 200, isReplayed: true, requestId });
  expect(calls).toBe(1);
  await expectChargedOnce();
});

test('a process that stood still for longer than its claim does not charge the call that another one has made', async () => {
  const first = send(owner);
  await isRunning();
  process.kill(owner.pid, 'SIGSTOP');
  let again: Promise<Awaited<ReturnType<typeof send>>>;
  const [late] = waiting.splice(0);
  try {
    again = waitFor(async () => {
      const retry = await send(other);
      return retry.status === 200 && retry;
    }, LAPSE_MILLIS);
    await waitFor(() => waiting.length > 0, LAPSE_MILLIS);
    await answerOne();
    expect(await again).toMatchObject({ isReplayed: false });
  } finally {
    process.kill(owner.pid, 'SIGCONT');
  }
  late!.writeHead(200, { 'Content-Type': 'application/json' }).end(ANSWER);
  expect(await first).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
  expect(calls).toBe(2);
  await expectChargedOnce();
});

test('a process that is told to end finishes a call whose client has left, and gives retries its answer', async () => {
  const client = new AbortController();
  const left = send(owner, client.signal);
  await isRunning();
  client.abort();
  await expect(left).rejects.toThrow();
  const stopped = owner.stop();
  const isClosed = () =>
    fetch(`${owner.url}/healthz`).then(
      () => false,
      () => true,
    );
  await waitFor(isClosed);
  const retries = [send(other), send(other)];
  await new Promise((resolve) => setTimeout(resolve, 500));
  await answerOne();
  for (const retry of await Promise.all(retries))
    expect(retry).toMatchObject({ status: 200, isReplayed: true });
  expect(await stopped).toBe(true);
  expect(await send(other)).toMatchObject({ status: 409, code: 'already_charged' });
  expect(calls).toBe(1);
  await expectChargedOnce();
  await owner.start();
});

test('a process that is killed after the charge leaves a call that is not made again', async () => {
  const first = send(owner);
  await isRunning();
  await answerOne();
  const { requestId } = await first;
  await owner.kill();
  const charged = await send(other);
  expect(charged).toMatchObject({ status: 409, code: 'already_charged' });
  expect(charged.error).toMatchObject({ request_id: requestId, cost: '0.000003' });
  // Another process at the same address does not know it either.
  await owner.start();
  expect(await send(other)).toMatchObject({ status: 409, code: 'already_charged' });
  expect(await send(owner)).toMatchObject({ status: 409, code: 'already_charged' });
  expect(calls).toBe(1);
  await expectChargedOnce();
});

test('a process that is killed between the charge and the storing of a response leaves one charge and no response', async () => {
  const answering = isRunning().then(() => {
    const chunk = (delta: object, finish: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
    const usage = `data: {"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":${TOKENS}}}\n\n`;
    waiting
      .shift()!
      .writeHead(200, { 'Content-Type': 'text/event-stream' })
      .end(`${chunk({ content: 'Hello' }, null)}${chunk({}, 'stop')}${usage}data: [DONE]\n\n`);
  });
  await database.pool.query(
    'UPDATE accounts.accounts SET stores_responses = true, stores_responses_set_at = now() WHERE id = $1',
    [account.accountId],
  );
  // Whoever stores waits.
  const held = await database.pool.connect();
  await held.query('BEGIN');
  await held.query('LOCK TABLE responses.stored IN SHARE MODE');
  const response = await fetch(`${owner.url}/v1/responses`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` },
    body: JSON.stringify({ model: MODEL, max_output_tokens: 16, input: 'x', stream: true, store: true }),
  });
  await answering;
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('output_text.delta')) text += (await reader.read()).value ?? '';
  const id = /"id":"(resp_\w+)"/.exec(text)![1]!;
  try {
    await expectChargedOnce();
    const isStoring = async () => {
      const { rows } = await held.query<{ pid: number }>(
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT INTO responses.stored%'",
      );
      return rows[0];
    };
    const { pid } = await waitFor(isStoring);
    await owner.kill();
    // The statement of a dead process goes on until the database notices. Here it ends with it.
    await held.query('SELECT pg_terminate_backend($1, 5000)', [pid]);
  } finally {
    await held.query('ROLLBACK');
    held.release();
  }
  const rest = async () => {
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  };
  await expect(rest()).rejects.toThrow();
  expect(text).not.toContain('response.completed');
  const get = await fetch(`${other.url}/v1/responses/${id}`, {
    headers: { Authorization: `Bearer ${account.apiKey}` },
  });
  expect([get.status, await get.json()]).toMatchObject([404, { error: { code: 'response_not_found' } }]);
  const { rows } = await database.pool.query('SELECT FROM responses.stored WHERE account_id = $1', [
    account.accountId,
  ]);
  expect(rows).toHaveLength(0);
  await owner.start();
  expect(calls).toBe(1);
  await expectChargedOnce();
});

test('a process that is killed before the charge leaves a call that is made anew, once its claim has lapsed', async () => {
  const first = send(owner).catch(() => undefined);
  await isRunning();
  const joined = send(other);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await owner.kill();
  await first;
  // Whoever waited is told at once.
  expect(await joined).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
  await owner.start();
  waiting = [];
  const again = waitFor(async () => {
    const retry = await send(other);
    expect([200, 409]).toContain(retry.status);
    return retry.status === 200 && retry;
  }, LAPSE_MILLIS);
  await waitFor(() => waiting.length > 0, LAPSE_MILLIS);
  const joins = [send(owner), send(other)];
  await answerOne();
  const { requestId, isReplayed } = await again;
  expect(isReplayed).toBe(false);
  for (const retry of await Promise.all(joins)) expect(retry).toMatchObject({ status: 200, requestId });
  expect(calls).toBe(2);
  await expectChargedOnce();
});
