import { AgentClient } from '../client';
import { ProtocolServer, type ScriptedFrame } from '../protocol-server.fixture';

let server: ProtocolServer;
let client: AgentClient;

beforeAll(async () => {
  server = await ProtocolServer.start();
  const retry = { maxFailures: 5, giveUpAfterMs: 60_000, baseDelayMs: 1, maxDelayMs: 2 };
  client = new AgentClient({ baseUrl: server.url, apiKey: 'bfvk-none', silenceMs: 20_000, retry });
});
afterAll(() => server.close());

const started: ScriptedFrame = { event: 'turn.started', data: { turn_id: 'turn_1' } };
const delta = (content: string): ScriptedFrame => ({ event: 'delta', data: { content } });
const completed: ScriptedFrame = { event: 'turn.completed', data: {} };

const callOf = (id: string, name: string, written = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: written },
});
const waitingFor = (...calls: ReturnType<typeof callOf>[]): ScriptedFrame[] => [
  ...calls.map((data) => ({ event: 'tool_call', data })),
  { event: 'turn.requires_action', data: { turn_id: 'turn_1', tool_calls: calls } },
];
const bodies = () => server.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);

test('answers the calls of the model until the turn is completed, over cut connections too', async () => {
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
    idempotencyKey: 'key',
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
  expect(keys).toEqual(['key', 'key.1', 'key.2']);
});

test('what goes wrong with a tool is told to the model', async () => {
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

test('tools of one round run side by side', async () => {
  server.script([started, ...waitingFor(callOf('a', 'waits'), callOf('b', 'releases')), completed]);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const tools = { waits: () => released.then(() => 'waited'), releases: () => release() };
  await client.run('s', 'Go', { tools }).finalText();
  expect(bodies()).toHaveLength(2);
});

test('ends with an error, the turn still open, when the model does not stop calling', async () => {
  const call = callOf('a', 'f');
  server.script([started, ...waitingFor(call), ...waitingFor(call), ...waitingFor(call), completed]);
  const stream = client.run('s', 'Go', { tools: { f: () => '' }, maxRounds: 2 });
  await expect(stream.finalText()).rejects.toMatchObject({ code: 'too_many_rounds', turnId: 'turn_1' });
  expect(bodies()).toHaveLength(3);
  expect(stream.toolCalls).toEqual([call]);
});

test('the part after the tools has to follow the part before them', async () => {
  server.script([started, ...waitingFor(callOf('a', 'f')), delta('x'), completed]);
  server.rename('1.5', '1.6');
  server.rename('1.4', '1.5');
  const stream = client.run('s', 'Go', { tools: { f: () => '' } });
  await expect(stream.finalText()).rejects.toMatchObject({ code: 'out_of_order' });
});

test('refused results end the loop', async () => {
  server.script([started, ...waitingFor(callOf('a', 'f')), completed]);
  const tools = {
    f: () => {
      server.faults.push({ kind: 'status', status: 409, body: '{"error":"Answered."}' });
    },
  };
  await expect(client.run('s', 'Go', { tools }).finalText()).rejects.toMatchObject({ status: 409 });
});
