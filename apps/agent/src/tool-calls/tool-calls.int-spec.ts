import { insertApiKey, ScriptedModel, waitFor } from '@inference/testing';
import { AgentSite, Customer, readStream, textOf } from '../agent.fixture';
import { type EventResponse } from '../events/event.response';

const TOOLS = [
  { type: 'function', function: { name: 'weather', parameters: { type: 'object', properties: {} } } },
  { type: 'function', function: { name: 'time' } },
];

let model: ScriptedModel;
let site: AgentSite;
let customer: Customer;
let sessions = 0;

beforeAll(async () => {
  model = await ScriptedModel.start();
  site = await AgentSite.start({
    models: ['scripted'],
    upstreams: [{ name: 'scripted', base_url: model.url, models: ['scripted'] }],
  });
  customer = new Customer(site.url, (await site.account()).apiKey);
});
afterAll(async () => {
  await site?.stop();
  model?.close();
});

async function newSession(): Promise<string> {
  const id = `tools-${++sessions}`;
  await customer.json('POST', '', { id, model: 'scripted', tools: TOOLS }, 201);
  return id;
}

const results = (...pairs: [id: string, content: string][]) => ({
  role: 'tool',
  tool_call_results: pairs.map(([tool_call_id, content]) => ({ tool_call_id, content })),
});
const respond = (id: string, body: unknown, path = 'events/stream', headers = {}) =>
  customer.call('POST', `/${id}/${path}`, body, headers);
const answerWith = (text: string) =>
  model.says((answer) => {
    answer.delta({ content: text });
    answer.finish('stop');
  });

/** Creates a session whose model has called both tools. */
async function waitingSession(): Promise<{ id: string; calls: string[]; turnId: string }> {
  const id = await newSession();
  model.calls(['weather', { city: 'Bern' }], ['time', {}]);
  const streamEvents = await customer.sendMessage(id, 'What is it like?');
  const last = streamEvents.at(-1)!.data as { turn_id: string; tool_calls: { id: string }[] };
  return { id, calls: last.tool_calls.map((call) => call.id), turnId: last.turn_id };
}

test('a turn streams several tool calls, takes their results, and continues', async () => {
  const id = await newSession();
  model.says((answer) => {
    answer.delta({ content: 'Let me ' });
    answer.delta({ content: 'see.' });
    answer.delta({
      tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'weather', arguments: '' } }],
    });
    // Some servers repeat the name.
    answer.delta({ tool_calls: [{ index: 0, function: { name: 'weather', arguments: '{"city":' } }] });
    answer.delta({
      tool_calls: [{ index: 1, id: 'b', type: 'function', function: { name: 'time', arguments: '{}' } }],
    });
    answer.delta({ tool_calls: [{ index: 0, function: { arguments: '"Bern"}' } }] });
    answer.finish('tool_calls');
  });
  const streamEvents = await customer.sendMessage(id, 'What is it like?');
  const calls = [
    { id: 'a', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } },
    { id: 'b', type: 'function', function: { name: 'time', arguments: '{}' } },
  ];
  const { turn_id: turnId } = streamEvents[0]!.data;
  expect(textOf(streamEvents)).toBe('Let me see.');
  expect(streamEvents.slice(-3)).toMatchObject([
    { event: 'tool_call', data: calls[0] },
    { event: 'tool_call', data: calls[1] },
    { event: 'turn.requires_action', data: { turn_id: turnId, tool_calls: calls } },
  ]);
  expect(model.requests.at(-1)!.tools).toEqual(TOOLS);

  answerWith('Sunny, at noon.');
  const after = await readStream(await respond(id, results(['b', '12:00'], ['a', 'sunny'])));
  expect(after.map(({ event }) => event)).toEqual(['delta', 'turn.completed']);
  const last = Number(streamEvents.at(-1)!.id!.split('.')[1]);
  expect(after.map((streamEvent) => streamEvent.id)).toEqual([`1.${last + 1}`, `1.${last + 2}`]);
  expect(model.requests.at(-1)!.messages).toEqual([
    { role: 'user', content: 'What is it like?' },
    { role: 'assistant', content: 'Let me see.', tool_calls: calls },
    { role: 'tool', tool_call_id: 'b', content: '12:00' },
    { role: 'tool', tool_call_id: 'a', content: 'sunny' },
  ]);
  const events = await customer.events(id);
  expect(events).toMatchObject([
    { seq: 1, type: 'message', role: 'user', status: 'completed', turn_id: turnId },
    {
      seq: 2,
      type: 'tool_calls',
      role: 'assistant',
      content: 'Let me see.',
      tool_calls: calls,
      finish_reason: 'tool_calls',
    },
    { seq: 3, type: 'tool_result', role: 'tool', turn_id: turnId },
    { seq: 4, type: 'message', role: 'assistant', content: 'Sunny, at noon.', usage: { total_tokens: 15 } },
  ]);
});

test('results can be posted one after the other, and in the background', async () => {
  const { id, calls, turnId } = await waitingSession();
  const first = await readStream(await respond(id, results([calls[0]!, 'sunny'])));
  expect(first).toMatchObject([
    { event: 'turn.requires_action', data: { turn_id: turnId, tool_calls: [{ id: calls[1] }] } },
  ]);
  answerWith('Done.');
  const posted = (await (await respond(id, results([calls[1]!, 'noon']), 'events')).json()) as EventResponse;
  expect(posted).toMatchObject({ type: 'tool_result', turn_id: turnId, role: 'tool', content: '' });
  await waitFor(async () => (await customer.events(id)).at(-1)!.content === 'Done.');
});

test('optional fields beside the results may be null or empty', async () => {
  const { id, calls } = await waitingSession();
  answerWith('Fine.');
  const body = {
    role: 'tool',
    content: null,
    tool_calls: [],
    tool_call_results: calls.map((call) => ({ tool_call_id: call, content: 'sunny', is_error: null })),
  };
  expect(textOf(await readStream(await respond(id, body)))).toBe('Fine.');
  const event = (await customer.events(id)).find(({ type }) => type === 'tool_result')!;
  expect(event).toMatchObject({ role: 'tool', content: '' });
  expect(event.tool_calls).toBeUndefined();
  expect(event.tool_call_results).toEqual(calls.map((call) => ({ tool_call_id: call, content: 'sunny' })));
});

test.each([
  ['an unknown call', (calls: string[]) => results(['call_never', 'x'], [calls[0]!, 'y']), 400],
  ['an empty list', () => ({ role: 'tool', tool_call_results: [] }), 400],
  ['no list of results', () => ({ role: 'tool' }), 400],
  ['null', () => ({ role: 'tool', tool_call_results: null }), 400],
  ['a result without an id', () => ({ role: 'tool', tool_call_results: [{ content: 'x' }] }), 400],
  ['a result that is not a string', (calls: string[]) => results([calls[0]!, 1 as unknown as string]), 400],
  ['two results for one call', (calls: string[]) => results([calls[0]!, 'x'], [calls[0]!, 'y']), 400],
  [
    'malformed tool_calls',
    (calls: string[]) => ({ ...results([calls[0]!, 'x']), tool_calls: [{ id: 1 }] }),
    400,
  ],
])('results are refused and not stored: %s', async (_what, body, status) => {
  const { id, calls } = await waitingSession();
  const before = await customer.events(id);
  for (const path of ['events', 'events/stream']) {
    const response = await respond(id, body(calls), path);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toContain('application/json');
  }
  expect(await customer.events(id)).toEqual(before);
});

test('a call cannot be answered twice', async () => {
  const { id, calls } = await waitingSession();
  await readStream(await respond(id, results([calls[0]!, 'sunny'])));
  expect((await respond(id, results([calls[0]!, 'rainy']))).status).toBe(409);
  expect((await respond(id, results([calls[0]!, 'rainy'], [calls[1]!, 'x']))).status).toBe(409);
});

test('results with the same idempotency key are accepted once', async () => {
  const { id, calls } = await waitingSession();
  answerWith('Once.');
  const body = results([calls[0]!, 'sunny'], [calls[1]!, 'noon']);
  const first = await readStream(await respond(id, body, 'events/stream', { 'Idempotency-Key': 'k' }));
  const again = await respond(id, body, 'events/stream', { 'Idempotency-Key': 'k' });
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await readStream(again)).toEqual(first);
  expect((await customer.events(id)).filter(({ type }) => type === 'tool_result')).toHaveLength(1);
});

test('pending calls keep the session busy; a message that interrupts cancels them', async () => {
  const { id, calls, turnId } = await waitingSession();
  const busy = await respond(id, { role: 'user', content: 'Never mind' });
  expect(busy.status).toBe(409);
  expect(await busy.json()).toEqual({ error: expect.any(String) as string, turn_id: turnId });

  answerWith('All right.');
  expect(textOf(await customer.sendMessage(id, 'Never mind', '?on_busy=interrupt'))).toBe('All right.');
  const events = await customer.events(id);
  expect(events.slice(2, 4)).toMatchObject([
    {
      type: 'tool_result',
      role: 'tool',
      status: 'cancelled',
      tool_call_results: calls.map((call) => ({ tool_call_id: call, is_error: true })),
    },
    { type: 'turn.cancelled', status: 'cancelled', turn_id: turnId },
  ]);
  expect((await respond(id, results([calls[0]!, 'late']))).status).toBe(409);
  const prompt = model.requests.at(-1)!.messages;
  expect(prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
  expect(prompt[2]!.content).toMatch(/^Error: /);
});

test('an enqueued message is answered after pending calls', async () => {
  const { id, calls } = await waitingSession();
  const waiting = customer.sendMessage(id, 'And tomorrow?', '?on_busy=enqueue');
  await waitFor(async () => (await customer.events(id)).length === 3);
  expect((await customer.events(id))[2]).toMatchObject({ role: 'user', status: 'queued' });
  answerWith('So.');
  await readStream(await respond(id, results([calls[0]!, 'sunny'], [calls[1]!, 'noon'])));
  const streamEvents = await waiting;
  expect(streamEvents[0]).toMatchObject({ event: 'turn.started', id: '2.1' });
  // In the order of the turns, not of the events.
  expect(model.requests.at(-1)!.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'tool',
    'assistant',
    'user',
  ]);
});

test('400 for results with on_busy', async () => {
  const { id, calls } = await waitingSession();
  expect((await respond(id, results([calls[0]!, 'x']), 'events?on_busy=enqueue')).status).toBe(400);
});

test('a call that is cut off gets an error as its result, and the session continues', async () => {
  const id = await newSession();
  model.says((answer) => {
    answer.delta({ content: 'Hm' });
    answer.delta({
      tool_calls: [{ index: 0, id: 'cut', type: 'function', function: { name: 'time', arguments: '{"zo' } }],
    });
    setTimeout(() => answer.breakOff(), 20);
  });
  const streamEvents = await customer.sendMessage(id, 'When?');
  expect(streamEvents.at(-1)).toMatchObject({ event: 'error', data: { retryable: true } });
  expect(await customer.events(id)).toMatchObject([
    { type: 'message', role: 'user', status: 'failed' },
    {
      type: 'tool_calls',
      content: 'Hm',
      status: 'incomplete',
      tool_calls: [{ id: 'cut', function: { arguments: '{"zo' } }],
    },
    { type: 'tool_result', tool_call_results: [{ tool_call_id: 'cut', is_error: true }] },
    { type: 'turn.failed', error: { retryable: true } },
  ]);
  answerWith('Now.');
  expect(textOf(await customer.sendMessage(id, 'Again'))).toBe('Now.');
  const call = model.requests.at(-1)!.messages[1]!.tool_calls as { function: { arguments: string } }[];
  expect(call[0]!.function.arguments).toBe('{}');
});

test('calls with a used or missing id get a new id', async () => {
  const { id, calls } = await waitingSession();
  model.calls(['weather', {}]);
  const streamEvents = await readStream(await respond(id, results([calls[0]!, 'x'], [calls[1]!, 'y'])));
  const again = (streamEvents.at(-1)!.data as { tool_calls: { id: string }[] }).tool_calls[0]!.id;
  expect(calls).not.toContain(again);
  model.says((answer) => {
    answer.delta({ tool_calls: [{ index: 0, function: { name: 'time', arguments: '{}' } }] });
    answer.finish('tool_calls');
  });
  const third = await readStream(await respond(id, results([again, 'z'])));
  expect((third.at(-1)!.data as { tool_calls: { id: string }[] }).tool_calls[0]!.id).toMatch(/^call_/);
});

test('characters that the database cannot store do not stop a turn', async () => {
  const id = await newSession();
  model.says((answer) => {
    answer.delta({ content: 'a\0b \ud83d' });
    answer.delta({ content: '\ude00 c\udc00' });
    answer.delta({
      tool_calls: [{ index: 0, id: 'x', function: { name: 'time', arguments: '"\0\ud800"' } }],
    });
    answer.finish('tool_calls');
  });
  expect(textOf(await customer.sendMessage(id, 'Odd'))).toBe('ab 😀 c\ufffd');
  expect((await customer.events(id))[1]!.tool_calls![0]!.function.arguments).toBe('"\ufffd"');
});

test('400 for results from another account, as for calls that no model made', async () => {
  const { id, calls } = await waitingSession();
  const otherCustomer = new Customer(site.url, (await site.account()).apiKey);
  const send = (sessionId: string) =>
    otherCustomer.json('POST', `/${sessionId}/events`, results([calls[0]!, 'x']), 400);
  expect(await send(id)).toEqual(await send('never'));
  await otherCustomer.json('GET', `/${id}`, undefined, 404);
});

test('the API key that posts the results pays for the continuation', async () => {
  const { accountId, apiKey } = await site.account();
  const first = new Customer(site.url, apiKey);
  const other = await insertApiKey(site.pool, accountId);
  const id = `tools-${++sessions}`;
  await first.json('POST', '', { id, model: 'scripted', tools: TOOLS }, 201);
  model.calls(['time', {}]);
  const asked = await first.sendMessage(id, 'When?');
  const [call] = (asked.at(-1)!.data as { tool_calls: { id: string }[] }).tool_calls;
  answerWith('Now.');
  const second = new Customer(site.url, other.apiKey);
  await readStream(await second.call('POST', `/${id}/events/stream`, results([call!.id, 'noon'])));
  const { rows } = await site.pool.query(
    'SELECT api_key_id FROM metering.usage_events WHERE account_id = $1 ORDER BY occurred_at',
    [accountId],
  );
  expect(rows.map((row: { api_key_id: string }) => row.api_key_id)).not.toEqual([
    other.apiKeyId,
    other.apiKeyId,
  ]);
  expect(rows.at(-1)).toEqual({ api_key_id: other.apiKeyId });
});
