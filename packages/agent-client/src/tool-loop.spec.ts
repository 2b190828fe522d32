import { AgentClient } from './client';
import { ProtocolServer, type ScriptedEvent } from './protocol-server.fixture';

let server: ProtocolServer;
let client: AgentClient;

beforeAll(async () => {
  server = await ProtocolServer.start();
  const retry = { maxFailures: 5, giveUpAfterMs: 60_000, baseDelayMs: 1, maxDelayMs: 2 };
  client = new AgentClient({ baseUrl: server.url, apiKey: 'bfvk-none', silenceMs: 20_000, retry });
});
afterAll(() => server.close());

const started: ScriptedEvent = { event: 'turn.started', data: { turn_id: 'turn_1' } };
const delta = (content: string): ScriptedEvent => ({ event: 'delta', data: { content } });
const completed: ScriptedEvent = { event: 'turn.completed', data: {} };

const callOf = (id: string, name: string, written = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: written },
});
const waitingFor = (...calls: ReturnType<typeof callOf>[]): ScriptedEvent[] => [
  ...calls.map((data) => ({ event: 'tool_call', data })),
  { event: 'turn.requires_action', data: { turn_id: 'turn_1', tool_calls: calls } },
];
const bodies = () => server.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);

test('answers tool calls until the turn is completed, also over interrupted connections', async () => {
  const weather = callOf('call_1', 'weather', '{"city":"Graz"}');
  const time = callOf('call_2', 'time', '');
  server.script([
    started,
    delta('Let me see.'),
    ...waitingFor(weather),
    ...waitingFor(time),
    delta('Sunny.'),
    completed,
  ]);
  server.faults.push({ kind: 'cut', bytes: 100 }, { kind: 'no-answer' });

  const stream = client.run('s', 'How is Graz?', {
    tools: {
      weather: ({ city }, { call }) => Promise.resolve({ city, call: call.id }),
      time: () => 'noon',
    },
  });
  expect(await stream.finalText()).toBe('Sunny.');
  expect([stream.outcome, stream.toolCalls]).toEqual(['completed', []]);

  const results = (tool_call_id: string, content: string) => ({
    role: 'tool',
    tool_call_results: [{ tool_call_id, content }],
  });
  expect(bodies()).toEqual([
    { role: 'user', content: 'How is Graz?' },
    results('call_1', '{"city":"Graz","call":"call_1"}'),
    results('call_2', 'noon'),
  ]);
  const keys = server.requests
    .filter(({ method }) => method === 'POST')
    .map(({ headers }) => headers['idempotency-key']);
  expect(keys).toEqual([keys[0], `${keys[0]}.1`, `${keys[0]}.2`]);
});

test('sends errors of tools to the model', async () => {
  const circular: Record<string, unknown> = {};
  circular.self = circular;
  server.script([
    started,
    ...waitingFor(
      callOf('a', 'fails'),
      callOf('b', 'nobody'),
      callOf('c', 'toString'),
      callOf('d', 'works', '{"cut'),
      callOf('e', 'works', '[1]'),
      callOf('f', 'circular'),
      callOf('g', 'silent'),
    ),
    completed,
  ]);
  await client
    .run('s', 'Go', {
      tools: {
        fails: () => Promise.reject(new Error('No luck.')),
        works: () => 'fine',
        circular: () => circular,
        silent: () => undefined,
      },
    })
    .finalText();
  expect(bodies()[1]).toEqual({
    role: 'tool',
    tool_call_results: [
      { tool_call_id: 'a', content: 'No luck.', is_error: true },
      { tool_call_id: 'b', content: 'There is no tool nobody.', is_error: true },
      { tool_call_id: 'c', content: 'There is no tool toString.', is_error: true },
      { tool_call_id: 'd', content: 'The arguments are no JSON.', is_error: true },
      { tool_call_id: 'e', content: 'The arguments are no JSON object.', is_error: true },
      { tool_call_id: 'f', content: expect.stringContaining('circular'), is_error: true },
      { tool_call_id: 'g', content: '' },
    ],
  });
});

test('runs the tools of one round concurrently', async () => {
  server.script([started, ...waitingFor(callOf('a', 'waits'), callOf('b', 'releases')), completed]);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const tools = { waits: () => released.then(() => 'waited'), releases: () => release() };
  await client.run('s', 'Go', { tools }).finalText();
  expect(bodies()).toHaveLength(2);
});

test('ends with an error and leaves the turn open after the maximum of rounds', async () => {
  const call = callOf('a', 'f');
  server.script([started, ...waitingFor(call), ...waitingFor(call), ...waitingFor(call), completed]);
  const stream = client.run('s', 'Go', { tools: { f: () => '' }, maxRounds: 2 });
  await expect(stream.finalText()).rejects.toMatchObject({ code: 'too_many_rounds', turnId: 'turn_1' });
  expect(bodies()).toHaveLength(3);
  expect(stream.toolCalls).toEqual([call]);
});

test('rejects a continuation that does not follow the events before the tool calls', async () => {
  server.script([started, ...waitingFor(callOf('a', 'f')), delta('x'), completed]);
  server.rename('1.5', '1.6');
  server.rename('1.4', '1.5');
  const stream = client.run('s', 'Go', { tools: { f: () => '' } });
  await expect(stream.finalText()).rejects.toMatchObject({ code: 'out_of_order' });
});

/** Sets the events of the session, by `seq`: calls, results of those ids, or other events. */
function keep(...events: { calls?: string[]; results?: string[] }[]): void {
  server.json.clear();
  server.json.set('GET /v1/agents/sessions/s', { status: 200, body: { last_seq: events.length } });
  for (let end = events.length; end > 0; end -= 100) {
    const after = Math.max(0, end - 100);
    const page = events.slice(after, after + 100).map(({ calls, results }) => ({
      type: calls ? 'tool_calls' : results ? 'tool_result' : 'message',
      ...(calls && { tool_calls: calls.map((id) => ({ id })) }),
      ...(results && { tool_call_results: results.map((tool_call_id) => ({ tool_call_id })) }),
    }));
    const route = `GET /v1/agents/sessions/s/events?after=${after}&limit=100`;
    server.json.set(route, { status: 200, body: { events: page, has_more: end < events.length } });
  }
}
const sent = () =>
  server.requests.map(({ method, url }) => `${method} ${url.replace(/^.v1.agents.sessions.s.?/, '')}`);
const noted = (names: string[], name: string) => () => `${name} ${names.push(name)}`;

test('does not run tools again whose results are stored when a run is repeated', async () => {
  const calls = [callOf('a', 'first'), callOf('b', 'second')];
  server.script([
    started,
    ...waitingFor(...calls),
    ...waitingFor(callOf('c', 'third')),
    delta('x'),
    completed,
  ]);
  const ran: string[] = [];
  const tools = Object.fromEntries(['first', 'second', 'third'].map((name) => [name, noted(ran, name)]));
  const run = () => client.run('s', 'Go', { tools, idempotencyKey: 'key' });

  keep({}, { calls: ['a', 'b'] });
  for await (const event of run()) if (event.id === '1.6') break;
  expect(ran).toEqual(['first', 'second']);

  server.requests.length = 0;
  keep({}, { calls: ['a', 'b'] }, { results: ['a', 'b'] }, { calls: ['c'] });
  const ids = [];
  const again = run();
  for await (const event of again) ids.push(event.id);
  expect(ids).toEqual(server.expected.map(({ id }) => id));
  expect([again.text, ran]).toEqual(['x', ['first', 'second', 'third']]);
  const look = ['GET ', 'GET events?after=0&limit=100'];
  const post = 'POST events/stream';
  expect(sent()).toEqual([post, ...look, 'GET events/stream', ...look, post]);
  expect(server.requests.at(-1)).toMatchObject({
    headers: { 'idempotency-key': 'key.2' },
    body: { role: 'tool', tool_call_results: [{ tool_call_id: 'c', content: 'third 3' }] },
  });
});

test('runs only the tools without results, and resumes the turn after the calls', async () => {
  const calls = [callOf('a', 'first'), callOf('b', 'second')];
  server.script([started, ...waitingFor(...calls), ...waitingFor(calls[1]!).slice(1), delta('x'), completed]);
  keep({}, { calls: ['a', 'b'] }, { results: ['a'] });
  server.json.set('POST /v1/agents/sessions/s/events', { status: 200, body: {} });
  const ran: string[] = [];
  const tools = {
    first: noted(ran, 'first'),
    second: () => {
      keep({}, { calls: ['a', 'b'] }, { results: ['a'] }, { results: ['b'] });
      server.json.set('POST /v1/agents/sessions/s/events', { status: 200, body: {} });
      return ran.push('second');
    },
  };
  const stream = client.run('s', 'Go', { tools, idempotencyKey: 'key' });
  const ids = [];
  for await (const event of stream) ids.push(event.id);
  expect([ids, stream.outcome]).toEqual([server.expected.map(({ id }) => id), 'completed']);
  expect(ran).toEqual(['second']);
  // Not by a stream, which would skip the events that followed the first result.
  expect(sent()).toContain('POST events');
  const results = { role: 'tool', tool_call_results: [{ tool_call_id: 'b', content: '1' }] };
  expect(bodies()).toEqual([{ role: 'user', content: 'Go' }, results]);
});

test('reads only the events since the calls of a long session', async () => {
  server.script([started, ...waitingFor(callOf('a', 'f')), completed]);
  const events = Array.from({ length: 350 }, () => ({}));
  keep(...events.slice(0, 170), { calls: ['a'] }, { results: ['a'] }, ...events.slice(172));
  await client.run('s', 'Go', { tools: {}, idempotencyKey: 'key' }).finalText();
  const pages = [250, 150].map((after) => `GET events?after=${after}&limit=100`);
  expect(sent().slice(1)).toEqual(['GET ', ...pages, 'GET events/stream']);
});

test('accepts that another run has sent the results first', async () => {
  server.script([started, ...waitingFor(callOf('a', 'f')), delta('x'), completed]);
  keep({}, { calls: ['a'] });
  const tools = {
    f: () => {
      keep({}, { calls: ['a'] }, { results: ['a'] });
      server.faults.push({ kind: 'status', status: 409, body: '{"error":"Answered."}' });
    },
  };
  expect(await client.run('s', 'Go', { tools }).finalText()).toBe('x');
  expect(sent().at(-1)).toBe('GET events/stream');
});

test('ends the loop if the results are refused', async () => {
  server.script([started, ...waitingFor(callOf('a', 'f')), completed]);
  keep({}, { calls: ['a'] });
  const tools = {
    f: () => {
      server.faults.push({ kind: 'status', status: 409, body: '{"error":"Answered."}' });
    },
  };
  await expect(client.run('s', 'Go', { tools }).finalText()).rejects.toMatchObject({ status: 409 });
});
