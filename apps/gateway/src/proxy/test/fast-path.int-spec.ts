import { once } from 'node:events';
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { Metrics } from '@inference/http';
import { createApiKey } from '@inference/guards';
import { createTestDatabase, insertAccount, type TestAccount, type TestDatabase } from '@inference/testing';
import { startSandboxEngine, type SandboxEngine } from '@inference/sandbox-engine';
import { ENTITIES } from '../../entities';
import {
  eventsOf,
  type Gateway,
  PLENTY,
  publish,
  RATES,
  startGateway,
  testEnvironment,
} from '../../testing/gateway.fixture';

/**
 * Requests to a model are served ahead of Express if their path is written exactly as the route. A slash at its end makes Express
 * and Nest serve them. Both must do the same.
 */

const FAST = '/v1/chat/completions';
const ORDINARY = '/v1/chat/completions/';
const ORIGIN = 'https://console.example.com';
const MODELS = [
  'sandbox-chat',
  'sandbox-chat+status=500',
  'sandbox-chat+status=422',
  'sandbox-chat+fail-mid=3',
];
const CHAT = { model: 'sandbox-chat', messages: [{ role: 'user', content: 'hello' }], max_tokens: 5 };
const MEBIBYTE = 1024 * 1024;

let database: TestDatabase;
let engine: SandboxEngine;
let gateway: Gateway;
let account: TestAccount;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  [database, engine] = await Promise.all([createTestDatabase(ENTITIES), startSandboxEngine({ port: 0 })]);
  await publish(database.pool, Object.fromEntries(MODELS.map((slug) => [slug, RATES])));
  const upstreams = MODELS.map((slug, i) => ({
    name: `engine-${i}`,
    base_url: `${engine.url}/v1`,
    models: [slug],
  }));
  const sink = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
      done();
    },
  });
  const environment = { ...testEnvironment(database.urlFor('gateway'), upstreams), CORS_ORIGINS: ORIGIN };
  gateway = await startGateway(environment, sink);
  account = await insertAccount(database.pool, { balancePicos: PLENTY });
});
afterAll(async () => {
  await gateway.close();
  await engine.close();
  await database.drop();
});

/** What differs between two requests of any kind. */
const withoutIds = (text: string): string =>
  text
    .replace(/"id":"[^"]*"/g, '"id":"…"')
    .replace(/"created":\d+/g, '"created":0')
    .replace(/[\da-f-]{36}/g, '…')
    // The message of a 405 quotes the path.
    .replace('/v1/chat/completions/ is', '/v1/chat/completions is');

const DIFFERENT = ['date', 'x-request-id', 'x-inference-request-id'];

interface Sent {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** Everything that can be observed of a request: the answer, its line in the log, its metrics and what was billed. */
async function observe(path: string, { method = 'POST', headers = {}, body = JSON.stringify(CHAT) }: Sent) {
  const { registry } = gateway.app.get(Metrics);
  registry.resetMetrics();
  lines.length = 0;
  const eventsBefore = await eventsOf(database.pool, account.accountId);
  const response = await fetch(gateway.url + path, {
    method,
    headers: { Authorization: `Bearer ${account.apiKey}`, 'Content-Type': 'application/json', ...headers },
    ...(method === 'POST' && { body }),
  });
  const text = await response.text();
  const id = response.headers.get('x-request-id');
  const ofRequest = lines.filter(({ req }) => (req as { id?: string } | undefined)?.id === id);
  const names = [...response.headers.keys()];
  const { values = [] } = (await registry.getMetricsAsJSON()).find(({ name }) => name.startsWith('http_'))!;
  const counts = values.filter(
    (value) => 'metricName' in value && String(value.metricName).endsWith('_count'),
  );
  return {
    status: response.status,
    names,
    headers: names
      .filter((name) => !DIFFERENT.includes(name) && (response.status !== 405 || name !== 'content-length'))
      .map((name) => [name, response.headers.get(name)]),
    text: withoutIds(text),
    log: ofRequest.map(({ level, msg, res, err }) => ({
      level,
      msg,
      res,
      err: (err as Error | undefined)?.message,
    })),
    // The line of a failure names the request only.
    isNamedInLog: ofRequest
      .filter(({ res }) => res !== undefined)
      .map(
        ({ inferenceRequestId }) =>
          inferenceRequestId === (response.headers.get('x-inference-request-id') ?? undefined),
      ),
    metrics: counts.map(({ labels, value }) => ({ labels, value })),
    billed: (await eventsOf(database.pool, account.accountId))
      .slice(eventsBefore.length)
      .map(({ request_id, ...event }) => [
        request_id === response.headers.get('x-inference-request-id'),
        event,
      ]),
  };
}

const json = (fields: object) => JSON.stringify({ ...CHAT, ...fields });

const CASES: [title: string, status: number, sent: Sent][] = [
  ['a plain answer', 200, {}],
  ['a stream', 200, { body: json({ stream: true }) }],
  ['a stream with usage', 200, { body: json({ stream: true, stream_options: { include_usage: true } }) }],
  ['a stream that breaks off', 200, { body: json({ model: 'sandbox-chat+fail-mid=3', stream: true }) }],
  ['an entrypoint', 200, { headers: { 'X-Entrypoint': 'batch' } }],
  ['an id of the caller', 200, { headers: { 'X-Request-Id': 'mine' } }],
  [
    'a compressed body',
    200,
    { headers: { 'Content-Encoding': 'gzip' }, body: new Uint8Array(gzipSync(json({}))) },
  ],
  ['a page of an allowed origin', 200, { headers: { Origin: ORIGIN } }],
  ['a page of another origin', 200, { headers: { Origin: 'https://evil.example' } }],
  [
    'a preflight',
    204,
    { method: 'OPTIONS', headers: { Origin: ORIGIN, 'Access-Control-Request-Method': 'POST' } },
  ],
  ['another method', 405, { method: 'GET' }],
  ['no credential', 401, { headers: { Authorization: '' } }],
  ['an unknown key', 401, { headers: { Authorization: `Bearer ${createApiKey().key}` } }],
  ['a key in another scheme', 401, { headers: { Authorization: 'ApiKey bfvk-x' } }],
  ['a header of services', 403, { headers: { 'X-On-Behalf-Of': 'acct_1' } }],
  ['a reserved entrypoint', 403, { headers: { 'X-Entrypoint': 'memo' } }],
  ['a malformed entrypoint', 400, { headers: { 'X-Entrypoint': 'É' } }],
  ['an entrypoint that is a property of objects', 400, { headers: { 'X-Entrypoint': '__proto__' } }],
  ['no body', 400, { body: '' }],
  ['no JSON', 400, { body: '{' }],
  ['an invalid field', 400, { body: json({ max_tokens: 0 }) }],
  ['an unknown model', 404, { body: json({ model: 'unknown' }) }],
  ['a limit beyond the wallet', 402, { body: json({ max_tokens: 9e15 }) }],
  ['a body that is too large', 413, { body: ' '.repeat(33 * MEBIBYTE) }],
  ['another content type', 415, { headers: { 'Content-Type': 'text/plain' } }],
  ['an unknown compression', 415, { headers: { 'Content-Encoding': 'zstd' } }],
  ['a refusal of the model server', 422, { body: json({ model: 'sandbox-chat+status=422' }) }],
  ['a failure of the model server', 502, { body: json({ model: 'sandbox-chat+status=500' }) }],
];

it.each(CASES)(
  '%s is answered, logged, measured and billed as on the ordinary way',
  async (_title, status, sent) => {
    const fast = await observe(FAST, sent);
    const ordinary = await observe(ORDINARY, sent);
    expect(fast.status).toBe(status);
    expect(fast).toEqual(ordinary);
    expect(fast.log).toHaveLength(status >= 500 ? 2 : 1);
    expect(fast.isNamedInLog).toEqual([true]);
    expect(fast.metrics).toHaveLength(1);
  },
);

it.each(['chat/completions', 'completions', 'embeddings', 'messages', 'responses'])(
  '%s does not reach Express',
  async (endpoint) => {
    const express = gateway.app.getHttpAdapter().getInstance() as unknown as { handle: unknown };
    const { handle } = express;
    express.handle = (_request: unknown, response: ServerResponse) => void response.writeHead(599).end();
    try {
      const send = (path: string) => fetch(gateway.url + path, { method: 'POST', body: '{}' });
      expect((await send(`/v1/${endpoint}/`)).status).toBe(599);
      expect((await send(`/v1/${endpoint}`)).status).toBe(401);
    } finally {
      express.handle = handle;
    }
  },
);

it('refuses bodies and clients one after another on one connection', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses: (number | undefined)[] = [];
  for (const [authorization, body] of [
    ['', JSON.stringify(CHAT)],
    [`Bearer ${account.apiKey}`, JSON.stringify(CHAT)],
    [`Bearer ${account.apiKey}`, '{'],
    [`Bearer ${account.apiKey}`, JSON.stringify(CHAT)],
  ] as const) {
    const options = { agent, method: 'POST', headers: { authorization, 'Content-Type': 'application/json' } };
    const sent = request(gateway.url + FAST, options).end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    statuses.push(answer.statusCode);
  }
  agent.destroy();
  expect(statuses).toEqual([401, 200, 400, 200]);
});
