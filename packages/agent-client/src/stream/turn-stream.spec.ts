import { waitFor } from '@inference/testing';
import { AgentClient, type AgentClientOptions } from '../client';
import { ProtocolServer, type ScriptedEvent } from '../protocol-server.fixture';

const RETRY = { maxFailures: 5, giveUpAfterMs: 60_000, baseDelayMs: 1, maxDelayMs: 2 };
const HELLO = { role: 'user', content: 'Hello' } as const;
const CALL = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } } as const;

const started: ScriptedEvent = { event: 'turn.started', data: { turn_id: 'turn_1' } };
const delta = (content: string): ScriptedEvent => ({ event: 'delta', data: { content } });
const completed: ScriptedEvent = { event: 'turn.completed', data: {} };
const cancelled: ScriptedEvent = { event: 'turn.cancelled', data: { turn_id: 'turn_1' } };
const waiting: ScriptedEvent = {
  event: 'turn.requires_action',
  data: { turn_id: 'turn_1', tool_calls: [CALL] },
};
const failed: ScriptedEvent = {
  event: 'error',
  data: { error: 'The model has gone.', code: 'model_unavailable', retryable: true },
};

let server: ProtocolServer;
const clientOf = (options: Partial<AgentClientOptions> = {}) =>
  new AgentClient({ baseUrl: server.url, apiKey: 'bfvk-none', silenceMs: 20_000, retry: RETRY, ...options });

beforeAll(async () => {
  server = await ProtocolServer.start();
});
beforeEach(() => server.script([started, delta('Grüß '), delta('Gott 🙂'), completed]));
afterAll(() => server.close());

const methods = () => server.requests.map(({ method }) => method);
const sent = (header: string) => server.requests.map(({ headers }) => headers[header]);
/** The length of the response up to and including the event with this text. */
const bytesUntil = (text: string) => `retry: 1\nevent: turn.started\nid: 1.1\ndata: ${text}\n\n`.length;

test('reports the text, the position and the outcome of the turn', async () => {
  const stream = clientOf().stream('s', HELLO);
  expect(server.requests).toEqual([]);

  expect(await stream.finalText()).toBe('Grüß Gott 🙂');
  expect(await stream.finalText()).toBe('Grüß Gott 🙂');
  expect([stream.position, stream.turnId, stream.outcome]).toEqual(['1.4', 'turn_1', 'completed']);
  expect(server.requests).toMatchObject([
    {
      method: 'POST',
      url: '/v1/agents/sessions/s/events/stream',
      headers: { authorization: 'Bearer bfvk-none', accept: 'text/event-stream' },
      body: HELLO,
    },
  ]);
});

test('reports the turn of an answer that the caller brings along', async () => {
  server.script([started, completed]);
  const brought = { role: 'assistant', content: 'Welcome.' } as const;
  const stream = clientOf().stream('s', brought);

  expect(await stream.finalText()).toBe('');
  expect([stream.position, stream.turnId, stream.outcome]).toEqual(['1.2', 'turn_1', 'completed']);
  expect(server.requests).toMatchObject([{ method: 'POST', body: brought }]);
});

test('repeats the event with the same idempotency key until the first stream event arrives, then only resumes', async () => {
  const until = bytesUntil('{"turn_id":"turn_1"}');
  server.faults.push({ kind: 'no-answer' }, { kind: 'cut', bytes: until - 1 }, { kind: 'end', bytes: until });
  const options = { idempotencyKey: 'mine', onBusy: 'enqueue' } as const;

  expect(await clientOf().stream('s', HELLO, options).finalText()).toBe('Grüß Gott 🙂');
  expect(methods()).toEqual(['POST', 'POST', 'POST', 'GET']);
  expect(sent('idempotency-key')).toEqual(['mine', 'mine', 'mine', undefined]);
  expect(sent('last-event-id')).toEqual([undefined, undefined, undefined, '1.1']);
  expect(server.requests.map(({ url }) => url.split('?')[1])).toEqual([
    'on_busy=enqueue',
    'on_busy=enqueue',
    'on_busy=enqueue',
    undefined,
  ]);
});

test('uses a new idempotency key for each stream', async () => {
  server.script([started, completed], [started, completed]);
  await clientOf().stream('s', HELLO).finalText();
  await clientOf().stream('s', HELLO).finalText();
  const [first, second] = sent('idempotency-key');
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(second).not.toBe(first);
});

test.each([
  ['is missing', '1.3', '1.4'],
  ['comes twice', '1.3', '1.2'],
  ['is of the next turn', '1.3', '2.1'],
])('an event that %s ends the stream', async (_what, id, other) => {
  server.rename(id, other);
  await expect(clientOf().stream('s', HELLO).finalText()).rejects.toMatchObject({ code: 'out_of_order' });
  expect(server.requests).toHaveLength(1);
});

test('rejects a resumed stream that does not continue at the position', async () => {
  server.script([started, delta('a'), completed], [started, delta('b'), completed], [started, completed]);
  expect(await clientOf().resume('s', '1.1').finalText()).toBe('a');
  expect(await clientOf().resume('s', '1.3').finalText()).toBe('b');
  server.rename('2.1', '3.1');
  await expect(clientOf().resume('s', '1.3').finalText()).rejects.toMatchObject({ code: 'out_of_order' });
});

test.each([
  ['without an id', { event: 'delta', data: { content: 'x' } }, ''],
  ['with an id of another kind', { event: 'delta', data: { content: 'x' } }, 'seventeen'],
  ['with invalid data', { event: 'delta', data: { text: 'x' } }, '1.2'],
  ['that is null', { event: 'tool_call', data: null }, '1.2'],
])('an event %s ends the stream', async (_what, event, id) => {
  server.script([started, event, completed]);
  server.rename('1.2', id);
  await expect(clientOf().stream('s', HELLO).finalText()).rejects.toMatchObject({ code: 'bad_answer' });
  expect(server.requests).toHaveLength(1);
});

test('yields an event of an unknown kind as unknown', async () => {
  server.script([started, { event: 'toString', data: [1] }, completed]);
  const kinds = [];
  for await (const event of clientOf().stream('s', HELLO)) kinds.push(event.kind);
  expect(kinds).toEqual(['turn.started', 'unknown', 'turn.completed']);
});

test('ignores an event of an unknown kind without an id', async () => {
  server.script([started, { event: 'usage', data: {} }, delta('x'), completed]);
  server.rename('1.2', '');
  server.rename('1.3', '1.2');
  server.rename('1.4', '1.3');
  const stream = clientOf().stream('s', HELLO);
  expect([await stream.finalText(), stream.position]).toEqual(['x', '1.3']);
});

test('throws an error with code, retryable and turn id for a failed turn', async () => {
  server.script([started, delta('Grüß '), failed]);
  const error = {
    code: 'model_unavailable',
    retryable: true,
    turnId: 'turn_1',
    message: 'The model has gone.',
  };
  const stream = clientOf().stream('s', HELLO);
  await expect(stream.finalText()).rejects.toMatchObject(error);
  await expect(stream.finalText()).rejects.toMatchObject(error);
  expect([stream.text, stream.position, stream.outcome]).toEqual(['Grüß ', '1.3', 'failed']);
  expect(server.requests).toHaveLength(1);
});

test('has no final text for a turn that was cancelled or waits for tool results', async () => {
  server.script([started, cancelled], [started, waiting]);
  const first = clientOf().stream('s', HELLO);
  await expect(first.finalText()).rejects.toMatchObject({ code: 'turn_cancelled', turnId: 'turn_1' });
  const second = clientOf().stream('s', HELLO);
  await expect(second.finalText()).rejects.toMatchObject({ code: 'requires_action' });
  expect([first.outcome, second.outcome, second.toolCalls]).toEqual(['cancelled', 'requires_action', [CALL]]);
});

test.each([400, 401, 402, 403, 404, 409, 410, 501])('does not retry after %d', async (status) => {
  const body = JSON.stringify({ error: 'No.', code: 'why', turn_id: 'turn_9' });
  server.faults.push({ kind: 'status', status, body });
  const refusal = { status, code: 'why', turnId: 'turn_9', message: 'No.', retryable: false };
  await expect(clientOf().stream('s', HELLO).finalText()).rejects.toMatchObject(refusal);
  expect(server.requests).toHaveLength(1);
});

test.each([429, 500, 502, 503, 504])('retries after %d, before the stream and within it', async (status) => {
  const until = bytesUntil('{"turn_id":"turn_1"}');
  server.faults.push({ kind: 'status', status }, { kind: 'cut', bytes: until }, { kind: 'status', status });
  expect(await clientOf().stream('s', HELLO).finalText()).toBe('Grüß Gott 🙂');
  expect(methods()).toEqual(['POST', 'POST', 'GET', 'GET']);
});

test('waits for the time of Retry-After', async () => {
  server.faults.push({ kind: 'status', status: 429, headers: { 'retry-after': '1' } });
  const begin = performance.now();
  await clientOf().stream('s', HELLO).finalText();
  expect(performance.now() - begin).toBeGreaterThanOrEqual(990);
});

test('takes the delay between connections from the retry field of the stream', async () => {
  server.retryMs = 1_000_000_000_000;
  server.faults.push({ kind: 'cut', bytes: 60 });
  const retry = { ...RETRY, maxDelayMs: server.retryMs, giveUpAfterMs: 500 };
  await expect(clientOf({ retry }).stream('s', HELLO).finalText()).rejects.toMatchObject({
    code: 'connection_lost',
  });
});

test('gives up after the maximum of consecutive failures', async () => {
  server.faults.push(...Array.from({ length: 10 }, () => ({ kind: 'status', status: 503 }) as const));
  await expect(clientOf().stream('s', HELLO).finalText()).rejects.toMatchObject({
    status: 503,
    retryable: true,
  });
  expect(server.requests).toHaveLength(5);
});

test('resets the failures when an event arrives', async () => {
  const until = bytesUntil('{"turn_id":"turn_1"}');
  const four = Array.from({ length: 4 }, () => ({ kind: 'no-answer' }) as const);
  server.faults.push(...four, { kind: 'cut', bytes: until }, ...four.slice(1));
  expect(await clientOf().stream('s', HELLO).finalText()).toBe('Grüß Gott 🙂');
});

test('reports a refused connection as connection_lost', async () => {
  const client = clientOf({ baseUrl: 'http://127.0.0.1:9' });
  await expect(client.stream('s', HELLO).finalText()).rejects.toMatchObject({
    code: 'connection_lost',
    retryable: true,
    status: undefined,
  });
});

test('rejects an HTML page instead of a stream', async () => {
  server.faults.push({ kind: 'status', status: 200, headers: { 'content-type': 'text/html' }, body: '<p>' });
  await expect(clientOf().stream('s', HELLO).finalText()).rejects.toMatchObject({ code: 'bad_answer' });
});

test('waits while heartbeats arrive, and reconnects without them', async () => {
  server.heartbeats = 8;
  expect(await clientOf({ silenceMs: 1_000 }).stream('s', HELLO).finalText()).toBe('Grüß Gott 🙂');
  expect(methods()).toEqual(['POST']);

  server.heartbeats = 0;
  server.faults.push({ kind: 'stall', bytes: bytesUntil('{"turn_id":"turn_1"}') });
  expect(await clientOf({ silenceMs: 100 }).resume('s').finalText()).toBe('Grüß Gott 🙂');
  await waitFor(() => server.left > 0);
});

test('closes the connection when the loop is left, does not cancel the turn, and can resume it', async () => {
  server.faults.push({ kind: 'stall', bytes: 150 });
  const client = clientOf();
  const stream = client.stream('s', HELLO);
  for await (const event of stream) if (event.kind === 'delta') break;
  await waitFor(() => server.left === 1);
  await expect(stream.finalText()).rejects.toMatchObject({ code: 'left_early' });

  const rest = client.resume('s', stream.position);
  expect(stream.text + (await rest.finalText())).toBe('Grüß Gott 🙂');
  expect(methods()).toEqual(['POST', 'GET']);
});

test('rejects with the reason of the signal while it waits for an event or for the next attempt', async () => {
  server.faults.push({ kind: 'stall', bytes: 0 });
  const leaving = new AbortController();
  const reading = clientOf().stream('s', HELLO, { signal: leaving.signal }).finalText();
  await waitFor(() => server.requests.length === 1);
  leaving.abort(new Error('Enough.'));
  await expect(reading).rejects.toThrow('Enough.');
  await waitFor(() => server.left === 1);

  server.faults.push({ kind: 'status', status: 503, headers: { 'retry-after': '30' } });
  const giving = new AbortController();
  const trying = clientOf().resume('s', undefined, { signal: giving.signal }).finalText();
  await waitFor(() => server.requests.length === 2);
  giving.abort(new Error('Enough.'));
  await expect(trying).rejects.toThrow('Enough.');
  await expect(clientOf().resume('s', undefined, { signal: giving.signal }).finalText()).rejects.toThrow(
    'Enough.',
  );
  expect(server.requests).toHaveLength(2);
});

test('yields nothing if there is nothing to resume', async () => {
  const stream = clientOf().resume('s', '1.4');
  for await (const event of stream) throw new Error(event.kind);
  expect(stream.outcome).toBeUndefined();
  await expect(stream.finalText()).rejects.toMatchObject({ code: 'nothing_to_resume' });
});

test('decodes a character that is split between two reads', async () => {
  const text =
    'event: delta\nid: 1.1\ndata: {"content":"Grüß 🙂"}\n\nevent: turn.completed\nid: 1.2\ndata: {}\n\n';
  const bytewise = ReadableStream.from(
    Array.from(new TextEncoder().encode(text), (byte) => Uint8Array.of(byte)),
  );
  const response = new Response(bytewise, { headers: { 'content-type': 'text/event-stream' } });
  const stream = clientOf({ fetch: () => Promise.resolve(response) }).resume('s');
  expect(await stream.finalText()).toBe('Grüß 🙂');
});

test('does not read ahead', async () => {
  let read = 0;
  const endless = new ReadableStream<Uint8Array>(
    {
      pull: (stream) => {
        read += 1;
        const event = `event: delta\nid: 1.${read}\ndata: {"content":"x"}\n\n`;
        stream.enqueue(new TextEncoder().encode(event));
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { 'content-type': 'text/event-stream' };
  const stream = clientOf({ fetch: () => Promise.resolve(new Response(endless, { headers })) }).resume('s');
  for await (const event of stream) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(read).toBe(Number(event.id.split('.')[1]));
    if (read === 4) break;
  }
});
