import { once } from 'node:events';
import { type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Metrics } from '@inference/http';
import { picosToDecimal } from '@inference/money';
import { type TestAccount, valueOf, waitFor } from '@inference/testing';
import {
  costOf,
  eventsOf,
  RATES,
  type ScriptedUpstream,
  startUpstream,
  TestSite,
} from '../../testing/gateway.fixture';
import { AdmissionService } from '../admission/admission.service';

/** Bodies up to the largest size, which the gateway reads beside other requests. */

const CHAT = '/v1/chat/completions';
const ESTIMATE = '/v1/chat/completions/estimate';
const MEBIBYTE = 1024 * 1024;
const LIMIT_BYTES = 32 * MEBIBYTE;
/** Above 4 MiB a body is read in slices. */
const SLICED_BYTES = 6 * MEBIBYTE;

const ANSWER = '{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":1}}';
/** By path; ANSWER unless set. */
const answers = new Map<string, string>();
let upstream: ScriptedUpstream;
let site: TestSite;
let account: TestAccount;

beforeAll(async () => {
  upstream = await startUpstream((incoming, response) => {
    response.setHeader('Content-Type', 'application/json');
    const answer = answers.get(String(incoming.url)) ?? ANSWER;
    if (answer.startsWith('{"detail"')) response.statusCode = 422;
    response.end(answer);
  });
  const memory = { ANSWER_MEMORY_BYTES: String(16 * MEBIBYTE), CLIENT_STALL_TIMEOUT_SECONDS: '1' };
  site = await TestSite.start({ 'sandbox-chat': RATES }, memory, () => [
    { name: 'scripted', base_url: upstream.url, models: { 'sandbox-chat': 'name-at-the-server' } },
  ]);
  account = await site.account();
});
beforeEach(() => {
  upstream.bodies.length = 0;
  answers.clear();
});
afterAll(async () => {
  await site.stop();
  await upstream.close();
});

const post = async (path: string, body: Buffer | string, headers: Record<string, string> = {}) => {
  const response = await fetch(site.gateway.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}`, ...headers },
    body: body as never,
  });
  return { status: response.status, body: (await response.json()) as object };
};

const filled = (start: string, piece: string, end: string, bytes = SLICED_BYTES) =>
  start + piece.repeat(Math.floor((bytes - start.length - end.length) / piece.length)) + end;
const START = '{"model":"sandbox-chat","max_tokens":5,';

it('passes a request of the largest size with pictures on, with nothing changed but the name of the model', async () => {
  const picture = {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${'iVBORw0K'.repeat(524_000)}` },
  };
  const content = [{ type: 'text', text: 'What is this?' }, ...Array.from({ length: 8 }, () => picture)];
  const text = JSON.stringify({
    model: 'sandbox-chat',
    max_tokens: 5,
    messages: [{ role: 'user', content }],
  });
  const body =
    text.slice(0, -1) +
    `,"seed":1e400,"x":12345678901234567890${' '.repeat(LIMIT_BYTES - text.length - 38)}}`;
  expect(Buffer.byteLength(body)).toBe(LIMIT_BYTES);
  expect((await post(CHAT, body)).status).toBe(200);
  expect(upstream.bodies).toHaveLength(1);
  // Jest would print both bodies.
  expect(upstream.bodies[0] === body.replace('sandbox-chat', 'name-at-the-server')).toBe(true);
  expect(await post(ESTIMATE, body)).toMatchObject({
    status: 200,
    body: { input_tokens: 131_072, max_tokens: 5 },
  });
});

it.each([
  ['millions of names', filled(START, '"name":1,', '"messages":[]}'), 'must not have more than 100000 names'],
  [
    'millions of values',
    filled(`${START}"messages":[`, '1,', '1]}'),
    'must not have more than 1000000 values',
  ],
  ['depth', filled(START, '"a":{', ''), 'must not be nested more than 100 levels deep'],
  [
    'a number of megabytes',
    filled(`${START}"messages":[],"seed":1`, '0', '}'),
    'must not have names or numbers of',
  ],
  [
    'a name of megabytes',
    filled(`${START}"messages":[],"`, 'n', '":1}'),
    'must not have names or numbers of',
  ],
  ['a text without an end', filled(`${START}"messages":["`, 'x', ''), 'is not valid JSON'],
])('refuses %s in OpenAI’s error body', async (_what, body, problem) => {
  for (const path of [CHAT, ESTIMATE]) {
    const answer = await post(path, body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_json', param: null } } });
    expect((answer.body as { error: { message: string } }).error.message).toContain(`The body ${problem}`);
  }
  expect(upstream.bodies).toEqual([]);
});

it('refuses what was compressed more than 100 times', async () => {
  const body = gzipSync(filled(`${START}"messages":["`, 'x', '"]}', LIMIT_BYTES));
  expect(body.length).toBeLessThan(40_000);
  expect(await post(CHAT, body, { 'Content-Encoding': 'gzip' })).toMatchObject({
    status: 413,
    body: { error: { code: 'request_too_large', message: 'the body is compressed more than 100 times' } },
  });
});

it.each([
  [CHAT, 'admit' as const],
  [ESTIMATE, 'bound' as const],
])('reads a body of %s no further when its client has left', async (path, use) => {
  const used = jest.spyOn(AdmissionService.prototype, use);
  const body = filled(`${START}"messages":[`, '0,', '0]}', 1_900_000);
  const server = site.gateway.app.getHttpServer() as Server;
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` };
  const client = request(site.gateway.url + path, { method: 'POST', headers }).on('error', () => undefined);
  let isGone = false;
  server.once('request', (incoming: IncomingMessage, response: ServerResponse) => {
    // The whole body has arrived.
    incoming.once('end', () => client.destroy());
    response.once('close', () => (isGone = true));
  });
  client.end(body);
  await waitFor(() => isGone);
  // A reading that began earlier would end before this one.
  expect((await post(path, body)).status).toBe(200);
  expect(used).toHaveBeenCalledTimes(1);
  used.mockRestore();
});

it.each([
  [
    '/v1/embeddings',
    { input: 'x' },
    filled('{"data":[', '{"embedding":[0.125,-1e-7]},', '{"embedding":[]}],"usage":{"prompt_tokens":7}}'),
    { input_tokens: 7n, output_tokens: 0n },
  ],
  [
    CHAT,
    { messages: [] },
    filled(
      '{"choices":[{"logprobs":{"content":[',
      '{"logprob":-0.50,"bytes":[97]},',
      'null]}}],"usage":{"prompt_tokens":7,"completion_tokens":3}}',
    ),
    { input_tokens: 7n, output_tokens: 3n },
  ],
])('passes a long answer of %s on, and charges what it reports', async (path, body, sent, tokens) => {
  answers.set(path, sent);
  const own = await site.account();
  const response = await fetch(site.gateway.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${own.apiKey}` },
    body: JSON.stringify({ model: 'sandbox-chat', ...body }),
  });
  const received = await response.text();
  expect(received.replace(/,"cost":.*$/, '}}') === sent).toBe(true);
  expect(await eventsOf(site.database.pool, own.accountId)).toMatchObject([{ ...tokens, estimated: false }]);
});

it('holds few long answers at once, and not for a client that does not read its own', async () => {
  // More than the buffers of a connection take.
  const answer = filled(
    '{"data":[',
    '{"embedding":[0.125,-1e-7]},',
    '{}],"usage":{"prompt_tokens":7}}',
    24 * MEBIBYTE,
  );
  answers.set('/v1/embeddings', answer);
  const own = await site.account();
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${own.apiKey}` };
  const body = JSON.stringify({ model: 'sandbox-chat', input: 'x' });
  const slow = request(`${site.gateway.url}/v1/embeddings`, { method: 'POST', headers }).end(body);
  const [unread] = (await once(slow, 'response')) as [IncomingMessage];
  const retry = { ...headers, 'Idempotency-Key': 'long' };
  const others = [headers, headers, retry].map(async (sent) => {
    const response = await fetch(`${site.gateway.url}/v1/embeddings`, {
      method: 'POST',
      headers: sent,
      body,
    });
    return (await response.text()).replace(/,"cost":.*$/, '}}') === answer;
  });
  await waitFor(async () => (await metric('gateway_waiting_answers')) > 0);
  // Short answers of the same account do not wait.
  const chat = { method: 'POST', headers, body: `${START}"messages":[]}` };
  expect((await fetch(site.gateway.url + CHAT, chat)).status).toBe(200);
  let most = 0;
  const watch = setInterval(
    () =>
      void metric('gateway_long_answer_bytes').then((bytes) => {
        most = Math.max(most, bytes);
      }),
    10,
  );
  expect(await Promise.all(others)).toEqual([true, true, true]);
  clearInterval(watch);
  expect(most).toBeGreaterThan(0);
  // Two answers count four times as much: each as it has arrived, and as it is sent.
  expect(most).toBeLessThan(4 * 24 * MEBIBYTE);
  const cut = once(unread, 'error');
  unread.resume();
  await cut;
  expect(await metric('gateway_long_answer_bytes')).toBe(0);
  expect(await eventsOf(site.database.pool, own.accountId)).toHaveLength(5);
});

it('counts an answer again that a repeated call does not read, and disconnects its client', async () => {
  // All kept answers of this file have room.
  const bytes = 16 * MEBIBYTE;
  const answer = filled(
    '{"data":[',
    '{"embedding":[0.125,-1e-7]},',
    '{}],"usage":{"prompt_tokens":7}}',
    bytes,
  );
  answers.set('/v1/embeddings', answer);
  const own = await site.account();
  const headers = {
    'Content-Type': 'application/json',
    Authorization: `Bearer ${own.apiKey}`,
    'Idempotency-Key': 'again',
  };
  const body = JSON.stringify({ model: 'sandbox-chat', input: 'x' });
  const url = `${site.gateway.url}/v1/embeddings`;
  expect((await (await fetch(url, { method: 'POST', headers, body })).text()).length).toBeGreaterThan(bytes);
  const held = async () =>
    valueOf(await site.gateway.app.get(Metrics).registry.metrics(), 'gateway_long_answer_bytes')!;
  expect(await held()).toBe(0);
  const [unread] = (await once(request(url, { method: 'POST', headers }).end(body), 'response')) as [
    IncomingMessage,
  ];
  expect(unread.headers['idempotent-replayed']).toBe('true');
  expect(await held()).toBeGreaterThan(bytes);
  const other = { method: 'POST', headers: { ...headers, 'Idempotency-Key': 'other' }, body };
  await waitFor(async () => (await held()) === 0);
  await (await fetch(url, other)).text();
  // The account may hold one of the two. Nobody reads the first until its client is disconnected.
  const refused = await waitFor(async () => {
    const [open] = (await once(request(url, { method: 'POST', headers }).end(body), 'response')) as [
      IncomingMessage,
    ];
    const answered = await fetch(url, other);
    const text = await answered.text();
    open.destroy();
    return answered.status === 429 && { text, retryAfter: answered.headers.get('retry-after') };
  });
  expect(refused).toEqual({
    text: expect.stringContaining('too many long answers') as string,
    retryAfter: '1',
  });
  await waitFor(async () => (await held()) === 0);
  expect(await eventsOf(site.database.pool, own.accountId)).toHaveLength(2);
});

const metric = async (name: string) => valueOf(await site.gateway.app.get(Metrics).registry.metrics(), name)!;

it.each(['/v1/messages', '/v1/responses'])('translates a long answer for %s', async (path) => {
  const usage = '"usage":{"prompt_tokens":7,"completion_tokens":3}}';
  answers.set(
    CHAT,
    filled(
      '{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop","logprobs":{"content":[',
      '{"logprob":-0.50,"bytes":[97]},',
      `null]}}],${usage}`,
    ),
  );
  const own = await site.account();
  const response = await site.post(path, own.apiKey, {
    model: 'sandbox-chat',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'x' }],
    ...(path === '/v1/responses' && { input: 'x', max_tokens: undefined, messages: undefined }),
  });
  const [event] = await eventsOf(site.database.pool, own.accountId);
  expect(event).toMatchObject({ input_tokens: 7n, output_tokens: 3n, estimated: false });
  const text = await response.text();
  expect(text).toContain('"text":"Hello"');
  expect(text).toContain(`"cost":${picosToDecimal(costOf(RATES, 7, 3))},`);
});

it('does not tell what a server charges for a long answer', async () => {
  const image = 'A'.repeat(12 * MEBIBYTE);
  answers.set(
    CHAT,
    `{"choices":[{"message":{"content":"${image}"}}],"x_groq":{"usage":{"prompt_tokens":7,"completion_tokens":3,"cost":5}}}`,
  );
  const own = await site.account();
  const response = await site.post(CHAT, own.apiKey, { model: 'sandbox-chat', messages: [] });
  expect(response.status).toBe(200);
  const received = await response.text();
  expect(received.slice(0, 50)).toBe(`{"choices":[{"message":{"content":"${'A'.repeat(15)}`);
  expect(received.slice(-75)).toContain(
    'A"}}],"x_groq":{"usage":{"prompt_tokens":7,"completion_tokens":3}}}',
  );
});

it('holds few stored responses at once, and not for clients that do not read them', async () => {
  const own = await site.account();
  await site.pool.query(
    'UPDATE accounts.accounts SET stores_responses = true, stores_responses_set_at = clock_timestamp() WHERE id = $1',
    [own.accountId],
  );
  answers.set(CHAT, filled('{"choices":[{"message":{"content":"', 'A', '"}}],"usage":{}}', 7.5 * MEBIBYTE));
  const made = await site.post('/v1/responses', own.apiKey, { model: 'sandbox-chat', input: 'x' });
  const { id } = (await made.json()) as { id: string };
  const headers = { Authorization: `Bearer ${own.apiKey}` };
  const url = `${site.gateway.url}/v1/responses/${id}`;
  const unread = Array.from({ length: 2 }, () =>
    request(url, { headers })
      .on('response', (response) => void response.pause())
      .on('error', () => undefined)
      .end(),
  );
  await waitFor(async () => (await metric('gateway_waiting_answers')) > 0);
  await waitFor(async () => (await metric('gateway_long_answer_bytes')) === 0);
  for (const each of unread) each.destroy();
  const whole = await (await fetch(url, { headers })).text();
  expect(whole.length).toBeGreaterThan(7 * MEBIBYTE);
  const items = await fetch(`${url}/input_items`, { headers });
  expect(await items.json()).toMatchObject({ data: [{ role: 'user' }] });
  expect(await metric('gateway_long_answer_bytes')).toBe(0);
});

it.each([CHAT, '/v1/messages'])(
  'tells a refusal that repeats a long request of %s in its own words',
  async (path) => {
    answers.set(CHAT, filled('{"detail":["', 'x', '"]}'));
    const answer = await post(path, `${START}"messages":[{"role":"user","content":"x"}]}`);
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { message: 'The model’s server refused the request (status 422).' } },
    });
  },
);

it('refuses a field that is given twice, also far behind', async () => {
  const body = filled(`${START}"messages":["`, 'x', '"],"mo\\u0064el":"other"}');
  expect(await post(CHAT, body)).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_value', param: 'model', message: 'model: must be given once' } },
  });
});
