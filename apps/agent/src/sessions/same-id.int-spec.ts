import { ScriptedModel, type TestAccount, waitFor } from '@inference/testing';
import { AgentSite, Customer, readStream, textOf } from '../agent.fixture';
import { type EventResponse } from '../events/event.response';
import { type SessionResponse } from './session.dto';

// Two accounts use the same ids for their sessions. Neither sees or influences the session of the other one.

const TOOLS = [{ type: 'function', function: { name: 'weather' } }];
const CALL_ID = 'call_1';

let model: ScriptedModel;
let site: AgentSite;
let accounts: TestAccount[];
let first: Customer;
let second: Customer;
let both: Customer[];
let count = 0;

beforeAll(async () => {
  model = await ScriptedModel.start();
  site = await AgentSite.start({
    models: ['scripted'],
    upstreams: [{ name: 'scripted', base_url: model.url, models: ['scripted'] }],
  });
  accounts = [await site.account(), await site.account()];
  both = accounts.map(({ apiKey }) => new Customer(site.url, apiKey));
  [first, second] = both as [Customer, Customer];
});
afterAll(async () => {
  await site?.stop();
  model?.close();
});

/** Creates a session with the same id for both accounts. */
async function sharedId(): Promise<string> {
  const id = `shared-${++count}`;
  for (const customer of both) await customer.json('POST', '', { id, model: 'scripted', tools: TOOLS }, 201);
  return id;
}

/** The model repeats the last message. Returns a function that lets all answers end. */
function modelEchoes(): () => void {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  model.says(async (answer) => {
    const { content } = model.requests.at(-1)!.messages.at(-1)!;
    answer.delta({ content: 'You said: ' });
    await ended;
    answer.delta({ content });
    answer.finish('stop');
  });
  return end;
}

const message = (content: string) => ({ role: 'user', content });
const openStream = (customer: Customer, id: string, content: string) =>
  customer.call('POST', `/${id}/events/stream`, message(content));

async function billedRequests({ accountId }: TestAccount): Promise<number> {
  const query = 'SELECT FROM metering.usage_events WHERE account_id = $1';
  return (await site.pool.query(query, [accountId])).rowCount!;
}

test('both can create a session and learn nothing of the other one', async () => {
  const id = `shared-${++count}`;
  const sessions: SessionResponse[] = [];
  for (const [index, customer] of both.entries()) {
    await customer.json('GET', `/${id}`, undefined, 404);
    sessions.push(await customer.json('POST', '', { id, metadata: { of: `${index}` } }, 201));
    await customer.json('POST', '', { id }, 409);
  }
  for (const [index, customer] of both.entries()) {
    expect(sessions[index]).toMatchObject({ id, metadata: { of: `${index}` } });
    expect(await customer.json('GET', `/${id}`)).toEqual({ ...sessions[index], open_turns: [] });
    const { sessions: listed } = await customer.json<{ sessions: SessionResponse[] }>('GET', '?limit=100');
    expect(listed.filter((session) => session.id === id)).toEqual([sessions[index]]);
  }
});

test('many concurrent first messages of both create one session each', async () => {
  const id = `shared-${++count}`;
  const requests = Array.from({ length: 12 }, (_, index) =>
    both[index % 2]!.call('POST', `/${id}/events?on_busy=enqueue`, message(`${index}`)),
  );
  expect((await Promise.all(requests)).map(({ status }) => status)).toEqual(Array<number>(12).fill(200));
  for (const [index, customer] of both.entries()) {
    await waitFor(async () => (await customer.events(id)).length === 12);
    const events = await customer.events(id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, seq) => seq + 1));
    const contents = events.filter(({ role }) => role === 'user').map(({ content }) => Number(content));
    expect(contents.sort((a, b) => a - b)).toEqual([0, 2, 4, 6, 8, 10].map((even) => even + index));
  }
});

test('each reads, lists and pays for its own turns', async () => {
  const id = await sharedId();
  const billed = await Promise.all(accounts.map(billedRequests));
  model.says((answer) => {
    answer.delta({ content: `Answer to ${String(model.requests.at(-1)!.messages.at(-1)!.content)}` });
    answer.finish('stop');
  });
  const texts: string[] = [];
  for (const [index, customer] of both.entries())
    texts.push(textOf(await readStream(await openStream(customer, id, `number ${index}`))));
  expect(texts).toEqual(['Answer to number 0', 'Answer to number 1']);
  // The prompt of the second account does not contain the message of the first one.
  expect(model.requests.at(-1)!.messages).toEqual([message('number 1')]);
  const logs = await Promise.all(both.map((customer) => customer.events(id)));
  for (const [index, events] of logs.entries()) {
    expect(events).toMatchObject([
      { seq: 1, session_id: id, content: `number ${index}` },
      { seq: 2, session_id: id, content: `Answer to number ${index}` },
    ]);
    const other = logs[1 - index]!;
    expect(await both[index]!.json('GET', `/${id}/events/${events[0]!.id}`)).toEqual(events[0]);
    await both[index]!.json('GET', `/${id}/events/${other[0]!.id}`, undefined, 404);
  }
  expect(await Promise.all(accounts.map(billedRequests))).toEqual(billed.map((requests) => requests + 1));
});

test('a running turn of one does not keep the other one busy, and streams are resumed apart', async () => {
  const id = await sharedId();
  const end = modelEchoes();
  const streams = await Promise.all(both.map((customer, index) => openStream(customer, id, `text ${index}`)));
  // Resumes at another replica from the beginning, and from the first event.
  const other = await site.startReplica();
  const elsewhere = accounts.map(({ apiKey }) => new Customer(other.url, apiKey));
  const resumed = await Promise.all(
    elsewhere.map((customer) => customer.call('GET', `/${id}/events/stream`)),
  );
  const continued = await Promise.all(
    both.map((customer) =>
      customer.call('GET', `/${id}/events/stream`, undefined, { 'Last-Event-ID': '1.1' }),
    ),
  );
  end();
  const live = await Promise.all(streams.map(readStream));
  const turnIds = live.map(([started]) => started!.data.turn_id);
  expect(new Set(turnIds).size).toBe(2);
  for (const [index, customer] of both.entries()) {
    expect(textOf(live[index]!)).toBe(`You said: text ${index}`);
    expect((await customer.events(id))[1]!.content).toBe(textOf(live[index]!));
    expect(live[index]!.at(-1)!.event).toBe('turn.completed');
    expect(await readStream(resumed[index]!)).toEqual(live[index]);
    expect(await readStream(continued[index]!)).toEqual(live[index]!.slice(1));
  }
  await other.close();
});

test('cancelling ends only the turns of the caller', async () => {
  const id = await sharedId();
  const end = modelEchoes();
  const streams = await Promise.all(both.map((customer) => openStream(customer, id, 'Talk')));
  await first.json('POST', `/${id}/events?on_busy=enqueue`, message('Next'));
  const { cancelled } = await first.json<{ cancelled: string[] }>('POST', `/${id}/cancel`);
  expect(cancelled).toHaveLength(2);
  expect((await readStream(streams[0]!)).at(-1)!.event).toBe('turn.cancelled');
  expect(await second.json('GET', `/${id}`)).toMatchObject({ open_turns: [{ status: 'running' }] });
  end();
  expect((await readStream(streams[1]!)).at(-1)!.event).toBe('turn.completed');
  expect(await second.json('POST', `/${id}/cancel`)).toEqual({ cancelled: [] });
});

test('deleting a session leaves that of the other account', async () => {
  const id = await sharedId();
  const end = modelEchoes();
  const streams = await Promise.all(both.map((customer) => openStream(customer, id, 'Talk')));
  await first.json('DELETE', `/${id}`, undefined, 204);
  expect(await streams[0]!.text()).not.toContain('event: turn.c');
  await first.json('GET', `/${id}`, undefined, 404);
  await first.json('DELETE', `/${id}`, undefined, 404);
  end();
  const streamEvents = await readStream(streams[1]!);
  expect(streamEvents.at(-1)!.event).toBe('turn.completed');
  expect(await second.events(id)).toHaveLength(2);
  // The stored stream can still be read.
  expect(await readStream(await second.call('GET', `/${id}/events/stream`))).toEqual(streamEvents);
});

test('the same idempotency key is another request', async () => {
  const id = await sharedId();
  const key = { 'Idempotency-Key': 'k' };
  modelEchoes()();
  const [own, foreign] = [
    await first.json<EventResponse>('POST', `/${id}/events`, message('x'), 200, key),
    await second.json<EventResponse>('POST', `/${id}/events`, message('y'), 200, key),
  ];
  expect(foreign).toMatchObject({ seq: 1, content: 'y' });
  const again = await first.call('POST', `/${id}/events`, message('x'), key);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(((await again.json()) as EventResponse).id).toBe(own.id);
});

test('the models may use the same ids for their tool calls', async () => {
  const id = await sharedId();
  const result = { role: 'tool', tool_call_results: [{ tool_call_id: CALL_ID, content: 'rain' }] };
  model.says((answer) => {
    answer.delta({ tool_calls: [{ index: 0, id: CALL_ID, function: { name: 'weather', arguments: '{}' } }] });
    answer.finish('tool_calls');
  });
  for (const customer of both) {
    const [, call] = await readStream(await openStream(customer, id, 'Rain?'));
    expect(call).toMatchObject({ event: 'tool_call', data: { id: CALL_ID } });
  }
  modelEchoes()();
  const answered = await readStream(await first.call('POST', `/${id}/events/stream`, result));
  expect(answered.at(-1)!.event).toBe('turn.completed');
  // The call of the second account still waits.
  expect(await second.events(id)).toHaveLength(2);
  const answeredToo = await readStream(await second.call('POST', `/${id}/events/stream`, result));
  expect(answeredToo.at(-1)!.event).toBe('turn.completed');
});
