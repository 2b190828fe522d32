import { inspect } from 'node:util';
import { AgentClient } from './client';
import { AgentError } from './http/agent-error';
import { ProtocolServer } from './protocol-server.fixture';

const RETRY = { maxFailures: 3, giveUpAfterMs: 60_000, baseDelayMs: 1, maxDelayMs: 2 };
const KEY = 'bfvk-none';

let server: ProtocolServer;
let client: AgentClient;

beforeAll(async () => {
  server = await ProtocolServer.start();
  client = new AgentClient({ baseUrl: `${server.url}/`, apiKey: KEY, retry: RETRY });
});
beforeEach(() => {
  server.script();
  server.json.clear();
});
afterAll(() => server.close());

const sent = () => server.requests.map(({ method, url }) => `${method} ${url}`);
const on = (route: string, body?: unknown, status = 200) => server.json.set(route, { status, body });

test('creates, reads, cancels and deletes sessions', async () => {
  const session = { id: 'a:b' };
  on('POST /v1/agents/sessions', session, 201);
  on('GET /v1/agents/sessions/a%3Ab', session);
  on('PATCH /v1/agents/sessions/a%3Ab', session);
  on('POST /v1/agents/sessions/a%3Ab/cancel', { cancelled: ['turn_1'] });
  on('DELETE /v1/agents/sessions/a%3Ab', undefined, 204);

  expect(await client.sessions.create({ id: 'a:b', model: 'm' })).toEqual(session);
  expect(await client.sessions.get('a:b')).toEqual(session);
  expect(await client.sessions.update('a:b', { metadata: { title: 'A' } })).toEqual(session);
  expect(await client.cancel('a:b')).toEqual(['turn_1']);
  expect(await client.sessions.delete('a:b')).toBeUndefined();
  expect(server.requests[0]).toMatchObject({
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: { id: 'a:b', model: 'm' },
  });
});

test('lists sessions page by page', async () => {
  on('GET /v1/agents/sessions?limit=2', { sessions: [{ id: 'c' }, { id: 'b' }], next_cursor: 'x=' });
  on('GET /v1/agents/sessions?limit=2&cursor=x%3D', { sessions: [{ id: 'a' }], next_cursor: null });
  const ids = [];
  for await (const { id } of client.sessions.list({ limit: 2 })) ids.push(id);
  expect(ids).toEqual(['c', 'b', 'a']);
});

test('finds sessions by their title', async () => {
  on('GET /v1/agents/sessions?q=an+invoice&sort=oldest', { sessions: [{ id: 'a' }], next_cursor: null });
  const { sessions } = await client.sessions.page({ q: 'an invoice', sort: 'oldest' });
  expect(sessions).toEqual([{ id: 'a' }]);
});

test('sends, reads and lists events, and fetches pages on demand', async () => {
  on('POST /v1/agents/sessions/s/events?on_busy=interrupt', { id: 'evt_1' });
  on('GET /v1/agents/sessions/s/events/evt_1', { id: 'evt_1' });
  on('GET /v1/agents/sessions/s/events?after=3', { events: [{ seq: 4 }, { seq: 5 }], has_more: true });
  on('GET /v1/agents/sessions/s/events?after=5', { events: [{ seq: 6 }], has_more: false });

  const event = { role: 'user', content: 'Hello' } as const;
  expect(await client.events.send('s', event, { onBusy: 'interrupt' })).toEqual({ id: 'evt_1' });
  expect(await client.events.get('s', 'evt_1')).toEqual({ id: 'evt_1' });
  const pages = client.events.list('s', { after: 3 });
  expect(await pages.next()).toMatchObject({ value: { seq: 4 } });
  expect(server.requests).toHaveLength(3);
  const rest = [];
  for await (const { seq } of pages) rest.push(seq);
  expect(rest).toEqual([5, 6]);
});

test('repeats an event with the same idempotency key if the response is lost', async () => {
  on('POST /v1/agents/sessions/s/events', { id: 'evt_1' });
  server.faults.push({ kind: 'no-answer' }, { kind: 'status', status: 502 });
  await client.events.send('s', { role: 'user', content: 'Hello' });
  const keys = server.requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(1);
});

test('repeats the creation of a session after a refusal, but not after a lost response', async () => {
  on('POST /v1/agents/sessions', { id: 'a' }, 201);
  server.faults.push({ kind: 'no-answer' });
  await expect(client.sessions.create()).rejects.toMatchObject({ code: 'connection_lost' });
  server.faults.push({ kind: 'status', status: 500 });
  await expect(client.sessions.create()).rejects.toMatchObject({ status: 500 });
  expect(server.requests).toHaveLength(2);

  server.faults.push({ kind: 'status', status: 429 }, { kind: 'status', status: 503 });
  expect(await client.sessions.create()).toEqual({ id: 'a' });
});

test('accepts 404 for a repeated deletion, but not for the first one', async () => {
  server.faults.push({ kind: 'no-answer' });
  await client.sessions.delete('gone');
  expect(sent()).toEqual(Array(2).fill('DELETE /v1/agents/sessions/gone'));
  await expect(client.sessions.delete('gone')).rejects.toMatchObject({ status: 404 });
});

test('gives up after the maximum of failures, and at once on a permanent error', async () => {
  on('GET /v1/agents/sessions/s', { error: 'The key is unknown.' }, 401);
  await expect(client.sessions.get('s')).rejects.toMatchObject({
    status: 401,
    message: 'The key is unknown.',
  });
  expect(server.requests).toHaveLength(1);
  server.faults.push(...Array(9).fill({ kind: 'status', status: 502, body: '<h1>Bad Gateway</h1>' }));
  await expect(client.sessions.get('s')).rejects.toMatchObject({
    status: 502,
    message: 'The agent service answered 502.',
  });
  expect(server.requests).toHaveLength(4);
});

test('retries after silence and after an interrupted response', async () => {
  const hasty = new AgentClient({ baseUrl: server.url, silenceMs: 50, retry: { ...RETRY, maxFailures: 1 } });
  server.script([{ event: 'turn.completed', data: {} }]);
  server.heartbeats = 2;
  // A stream that is read as JSON: its headers arrive, but it does not end.
  await expect(hasty.events.get('s', 'stream')).rejects.toMatchObject({ code: 'connection_lost' });
  server.faults.push({ kind: 'status', status: 200, body: '{"id":' });
  await expect(client.sessions.get('s')).rejects.toMatchObject({ code: 'bad_answer' });
  expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
});

test('rejects an invalid request at once', async () => {
  const event = { role: 'user', content: 'Hello' } as const;
  const options = { idempotencyKey: 'two\nlines' };
  await expect(client.events.send('s', event, options)).rejects.toThrow('two');
  await expect(client.stream('s', event, options).finalText()).rejects.toThrow('two');
  expect(server.requests).toEqual([]);
});

test.each(['.', '..', ''])('rejects an id that URL normalization would change: "%s"', async (id) => {
  const told = 'An id must not be empty, and neither . nor ..';
  await expect(client.sessions.get(id)).rejects.toThrow(told);
  await expect(client.sessions.delete(id)).rejects.toThrow(told);
  await expect(client.events.get('s', id)).rejects.toThrow(told);
  await expect(client.stream(id, { role: 'user', content: 'Hello' }).finalText()).rejects.toThrow(told);
  await expect(client.resume(id).finalText()).rejects.toThrow(told);
  expect(server.requests).toEqual([]);
});

test('rejects an invalid base URL, and does not show the key when it is logged', () => {
  expect(() => new AgentClient({ baseUrl: 'example.com' })).toThrow();
  expect(() => new AgentClient({ baseUrl: 'file:///tmp' })).toThrow(TypeError);
  expect(() => new AgentClient({ baseUrl: server.url, apiKey: `${KEY}\n` })).toThrow(
    /^apiKey must be(?!.*bfvk)/,
  );
  expect(inspect(client, { depth: 9, showHidden: true })).not.toContain(KEY);
});

describe('a token that changes', () => {
  const consoleClient = (token: (refused?: string) => string | Promise<string>) =>
    new AgentClient({ baseUrl: server.url, apiPath: '/api/agents', token, retry: RETRY });
  const authorizations = () => server.requests.map(({ headers }) => headers.authorization);

  test('is read before each request, at the path of the console', async () => {
    on('GET /api/agents/sessions/s', { id: 's' });
    let reads = 0;
    const pages = consoleClient(() => Promise.resolve(`token-${++reads}`));
    await pages.sessions.get('s');
    server.faults.push({ kind: 'status', status: 503 });
    await pages.sessions.get('s');
    expect(authorizations()).toEqual(['Bearer token-1', 'Bearer token-2', 'Bearer token-3']);
  });

  test('is replaced once after a 401, also for a request that is not repeated otherwise', async () => {
    on('POST /api/agents/sessions', { id: 'a' }, 201);
    const refusals: (string | undefined)[] = [];
    const pages = consoleClient((refused) => {
      refusals.push(refused);
      return refused === undefined ? 'old' : 'new';
    });
    server.faults.push({ kind: 'status', status: 401 });
    expect(await pages.sessions.create({ id: 'a' })).toEqual({ id: 'a' });
    expect(authorizations()).toEqual(['Bearer old', 'Bearer new']);
    expect(server.requests.map(({ body }) => body)).toEqual([{ id: 'a' }, { id: 'a' }]);
    server.faults.push({ kind: 'status', status: 401 }, { kind: 'status', status: 401 });
    await expect(pages.sessions.create({ id: 'a' })).rejects.toMatchObject({ status: 401 });
    expect(server.requests).toHaveLength(4);
    expect(refusals).toEqual([undefined, 'old', undefined, 'old']);
  });

  test('that is the same again is not sent again', async () => {
    server.faults.push({ kind: 'status', status: 401 });
    await expect(consoleClient(() => 'only').sessions.get('s')).rejects.toMatchObject({ status: 401 });
    expect(server.requests).toHaveLength(1);
  });

  test('is read for each part of a stream that loses its connection, and no event is lost', async () => {
    server.script([
      { event: 'turn.started', data: { turn_id: 'turn_1' } },
      { event: 'delta', data: { content: 'Hel' } },
      { event: 'delta', data: { content: 'lo' } },
      { event: 'turn.completed', data: {} },
    ]);
    server.faults.push({ kind: 'cut', bytes: 120 }, { kind: 'status', status: 401 });
    let token = 0;
    const pages = consoleClient((refused) => (refused === undefined ? `token-${token}` : `token-${++token}`));
    expect(await pages.stream('s', { role: 'user', content: 'Hello' }).finalText()).toBe('Hello');
    expect(sent()).toEqual([
      'POST /api/agents/sessions/s/events/stream',
      'GET /api/agents/sessions/s/events/stream',
      'GET /api/agents/sessions/s/events/stream',
    ]);
    expect(authorizations()).toEqual(['Bearer token-0', 'Bearer token-0', 'Bearer token-1']);
  });

  test('that cannot be read is retried as a lost connection, unless an AgentError says otherwise', async () => {
    on('GET /api/agents/sessions/s', { id: 's' });
    let failures = 2;
    const pages = consoleClient(() => {
      if (failures-- > 0) throw new TypeError('Failed to fetch');
      return 'token';
    });
    expect(await pages.sessions.get('s')).toEqual({ id: 's' });
    const ended = new AgentError('The session has ended.', { code: 'signed_out' });
    await expect(consoleClient(() => Promise.reject(ended)).sessions.get('s')).rejects.toBe(ended);
    expect(server.requests).toHaveLength(1);
  });

  test('is never shown, and excludes a key', async () => {
    await expect(consoleClient(() => 'secret\n').sessions.get('s')).rejects.not.toThrow(/secret/);
    expect(
      inspect(
        consoleClient(() => 'secret'),
        { depth: 9 },
      ),
    ).not.toContain('secret');
    expect(() => new AgentClient({ baseUrl: server.url, apiKey: KEY, token: () => 't' })).toThrow(TypeError);
    for (const apiPath of ['api', '/api/', '/api/../x', '/a b'])
      expect(() => new AgentClient({ baseUrl: server.url, apiPath })).toThrow(TypeError);
  });
});
