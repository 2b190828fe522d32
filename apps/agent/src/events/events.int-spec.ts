import { waitFor } from '@inference/testing';
import { AgentSite, Customer, readStream, textOf } from '../agent.fixture';
import { type EventResponse } from './event.response';

const SLOW = 'sandbox-chat+tokens-80+delay-20';
/** Takes ten seconds unless it is cancelled. */
const LONG = 'sandbox-chat+tokens-500+delay-20';

let site: AgentSite;
let customer: Customer;
let count = 0;

beforeAll(async () => {
  site = await AgentSite.start({ models: [SLOW, LONG] });
  customer = new Customer(site.url, (await site.account()).apiKey);
});
afterAll(() => site?.stop());

const newId = () => `events-${++count}`;
const USER = { role: 'user', content: 'Hello' };
const CALL = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };

async function slowSession(model = SLOW): Promise<string> {
  const id = newId();
  await customer.json('POST', '', { id, model }, 201);
  return id;
}

describe('posting an event', () => {
  it('creates the session, returns the event, and runs the turn in the background', async () => {
    const id = newId();
    const event = await customer.json<EventResponse>('POST', `/${id}/events`, USER);
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_/) as string,
      session_id: id,
      seq: 1,
      type: 'message',
      role: 'user',
      content: 'Hello',
      turn_id: expect.stringMatching(/^turn_/) as string,
      status: 'running',
      created_at: expect.any(String) as string,
    });
    expect(new Date(event.created_at).toISOString()).toBe(event.created_at);
    await waitFor(async () => (await customer.events(id)).length === 2);
    const [first, second] = await customer.events(id);
    expect(first).toEqual({ ...event, status: 'completed' });
    expect(second).toMatchObject({
      seq: 2,
      type: 'message',
      role: 'assistant',
      status: 'completed',
      turn_id: event.turn_id,
    });
    expect(await customer.json('GET', `/${id}/events/${second!.id}`)).toEqual(second);
  });

  it('streams the turn, with headers that stop proxies from buffering it', async () => {
    const response = await customer.call('POST', `/${newId()}/events/stream`, USER);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('cache-control')).toMatch(/no-cache.*no-transform/);
    const text = await response.clone().text();
    expect(text.match(/^retry: 1000$/gm)).toHaveLength(1);
    expect(text.trimEnd().split('\n\n').at(-1)).toMatch(/^event: turn.completed\nid: 1\.\d+\ndata: \{\}$/);
    const streamEvents = await readStream(response);
    expect(streamEvents.map(({ id }) => id)).toEqual(streamEvents.map((_, index) => `1.${index + 1}`));
    expect(streamEvents[0]).toEqual({
      event: 'turn.started',
      id: '1.1',
      data: { turn_id: expect.any(String) as string },
    });
  });

  it('sends the model the system prompt and the conversation so far', async () => {
    const id = newId();
    await customer.json('POST', '', { id, system: 'Be brief.' }, 201);
    const promptTokens = async () => (await customer.events(id)).at(-1)!.usage!.prompt_tokens;
    await customer.sendMessage(id, 'one two three');
    // The sandbox engine counts one token a word, and four for each message.
    expect(await promptTokens()).toBe(2 + 3 + 2 * 4);
    await customer.sendMessage(id, 'four');
    expect(await promptTokens()).toBe(2 + 3 + 64 + 1 + 4 * 4);
  });

  it.each([
    ['no body', ''],
    ['a list', []],
    ['no role', { content: 'x' }],
    ['an unknown role', { role: 'system', content: 'x' }],
    ['no content', { role: 'user' }],
    ['empty content', { role: 'user', content: '' }],
    ['content that is not a string', { role: 'user', content: ['x'] }],
    ['content of null', { role: 'user', content: null }],
    ['content that is too long', { role: 'user', content: 'x'.repeat(262_145) }],
    ['content with NUL', { role: 'user', content: 'a\0b' }],
    ['content with half a surrogate pair', { role: 'user', content: '\ud83d' }],
    [
      'tool results with the role user',
      { ...USER, tool_call_results: [{ tool_call_id: 'c', content: 'x' }] },
    ],
    ['tool calls that are not a list', { ...USER, tool_calls: CALL }],
    ['a tool call of null', { ...USER, tool_calls: [null] }],
    ['a list of lists of tool calls', { ...USER, tool_calls: [[CALL]] }],
    ['a tool call without an id', { ...USER, tool_calls: [{ ...CALL, id: undefined }] }],
    ['a tool call of another type', { ...USER, tool_calls: [{ ...CALL, type: 'x' }] }],
    ['a tool call without a function', { ...USER, tool_calls: [{ id: 'c', type: 'function' }] }],
    [
      'arguments that are not a string',
      { ...USER, tool_calls: [{ ...CALL, function: { name: 'f', arguments: {} } }] },
    ],
  ])('400 for %s, on both routes, and no session is created', async (_what, body) => {
    const id = newId();
    for (const path of ['events', 'events/stream']) {
      const sent = body === '' ? undefined : body;
      expect(await customer.json('POST', `/${id}/${path}`, sent, 400)).toEqual({
        error: expect.any(String) as string,
      });
    }
    await customer.json('GET', `/${id}`, undefined, 404);
  });

  it('stores tool calls that a client sends back', async () => {
    const event = await customer.json<EventResponse>('POST', `/${newId()}/events`, {
      ...USER,
      tool_calls: [CALL],
    });
    expect(event.tool_calls).toEqual([CALL]);
  });

  it.each([
    ['null', null],
    ['an empty list', []],
  ])('optional fields may be %s', async (_what, value) => {
    const fields = { tool_calls: value, tool_call_results: value };
    const id = newId();
    const event = await customer.json<EventResponse>('POST', `/${id}/events`, { ...USER, ...fields });
    expect(event).toMatchObject({ type: 'message', content: 'Hello' });
    expect(Object.keys(event)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^tool_call/)]));
    await waitFor(async () => (await customer.events(id)).length === 2);
    const streamed = await readStream(
      await customer.call('POST', `/${id}/events/stream`, { ...USER, ...fields }),
    );
    expect(streamed.at(-1)!.event).toBe('turn.completed');
  });

  it('an absent field and a null, and fields in another order, are the same request under an idempotency key', async () => {
    const path = `/${newId()}/events`;
    const key = { 'Idempotency-Key': 'same' };
    const event = await customer.json<EventResponse>('POST', path, USER, 200, key);
    const fields = { tool_calls: null, tool_call_results: [], unknown: true };
    const repeated = { content: USER.content, ...fields, role: USER.role };
    const again = await customer.json<EventResponse>('POST', path, repeated, 200, key);
    expect(again.id).toBe(event.id);
  });

  it.each(['a b', 'x'.repeat(129), 'a%2Fb', '%C3%A4'])('400 for the session id %s', async (id) => {
    await customer.json('POST', `/${id}/events`, USER, 400);
  });

  it.each(['?on_busy=wait', '?on_busy=', '?on_busy=enqueue&on_busy=enqueue'])('400 for %s', async (query) => {
    await customer.json('POST', `/${newId()}/events${query}`, USER, 400);
  });

  it.each(['', 'ä', 'x'.repeat(256)])('400 for the idempotency key "%s"', async (key) => {
    const headers = { 'Idempotency-Key': Buffer.from(key).toString('latin1') };
    await customer.json('POST', `/${newId()}/events`, USER, 400, headers);
  });

  it('409 with the turn’s id for a message during a turn', async () => {
    const id = await slowSession(LONG);
    const { turn_id: turnId } = await customer.json<EventResponse>('POST', `/${id}/events`, USER);
    for (const path of ['events', 'events/stream'])
      expect(await customer.json('POST', `/${id}/${path}`, USER, 409)).toEqual({
        error: expect.any(String) as string,
        turn_id: turnId,
      });
    await customer.json('POST', `/${id}/cancel`);
  });

  it('accepts one of many concurrent messages', async () => {
    const id = await slowSession(LONG);
    const responses = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        customer.call('POST', `/${id}/events${index % 2 ? '/stream' : ''}`, {
          role: 'user',
          content: `number ${index}`,
        }),
      ),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array<number>(11).fill(409)]);
    await customer.json('POST', `/${id}/cancel`);
    await Promise.all(responses.map((response) => response.text()));
    expect((await customer.events(id)).filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  it('answers enqueued messages one after the other, in order', async () => {
    const id = newId();
    const texts = ['first', 'second', 'third', 'fourth'];
    for (const content of texts)
      await customer.json('POST', `/${id}/events?on_busy=enqueue`, { role: 'user', content });
    const streamed = await customer.sendMessage(id, 'fifth', '?on_busy=enqueue');
    expect(streamed.at(-1)).toMatchObject({ event: 'turn.completed' });
    const events = await customer.events(id);
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 10 }, (_, index) => index + 1));
    expect(events.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
      ...texts,
      'fifth',
    ]);
    const prompts = events.flatMap(({ usage }) => usage?.prompt_tokens ?? []);
    expect(prompts).toEqual([...prompts].sort((a, b) => a - b));
    expect(textOf(streamed)).toBe(events.at(-1)!.content);
  });

  it('cancels all open turns for a message that interrupts', async () => {
    const id = await slowSession();
    const running = customer.sendMessage(id, 'Talk at length');
    await waitFor(async () => (await customer.events(id)).length === 1);
    await customer.json('POST', `/${id}/events?on_busy=enqueue`, { role: 'user', content: 'Waits' });
    const streamEvents = await customer.sendMessage(id, 'Stop', '?on_busy=interrupt');
    expect(streamEvents[0]).toMatchObject({ event: 'turn.started', id: '3.1' });
    expect(streamEvents.at(-1)).toMatchObject({ event: 'turn.completed' });
    expect((await running).at(-1)).toMatchObject({ event: 'turn.cancelled' });
    const cancelled = (await customer.events(id)).filter(({ type }) => type === 'turn.cancelled');
    expect(cancelled).toHaveLength(2);
    for (const event of cancelled)
      expect(event).toMatchObject({ content: '', reason: 'A newer message took the place of this turn.' });
  });
});

describe('Idempotency-Key', () => {
  const KEY = { 'Idempotency-Key': 'the key' };

  it('returns the same event again and runs its turn once', async () => {
    const id = newId();
    const [first, second] = await Promise.all([
      customer.call('POST', `/${id}/events`, USER, KEY),
      customer.call('POST', `/${id}/events`, USER, KEY),
    ]);
    const replayed = [first, second].map((response) => response!.headers.get('idempotent-replayed'));
    expect(replayed.sort()).toEqual(['true', null].sort());
    const bodies = (await Promise.all([first!.json(), second!.json()])) as EventResponse[];
    expect(bodies[0]!.id).toBe(bodies[1]!.id);
    await waitFor(async () => (await customer.events(id)).length === 2);
  });

  it('joins the stream of a running turn from its beginning', async () => {
    const id = await slowSession();
    const streams = await Promise.all([1, 2, 3].map(() => customer.sendMessage(id, 'Hello', '', KEY)));
    expect(streams[1]).toEqual(streams[0]);
    expect(streams[2]).toEqual(streams[0]);
    expect(await customer.sendMessage(id, 'Hello', '', KEY)).toEqual(streams[0]);
    expect(await customer.events(id)).toHaveLength(2);
  });

  it('joins the turn of an event that was posted in the background', async () => {
    const id = await slowSession();
    await customer.json('POST', `/${id}/events`, USER, 200, KEY);
    const streamEvents = await customer.sendMessage(id, 'Hello', '', KEY);
    expect(streamEvents[0]!.event).toBe('turn.started');
    expect(streamEvents.at(-1)!.event).toBe('turn.completed');
    expect(await customer.events(id)).toHaveLength(2);
  });

  it.each([
    ['another text', { role: 'user', content: 'Other' }, ''],
    ['another on_busy', USER, '?on_busy=enqueue'],
  ])('409 for %s', async (_what, body, query) => {
    const id = newId();
    await customer.json('POST', `/${id}/events`, USER, 200, KEY);
    await customer.json('POST', `/${id}/events${query}`, body, 409, KEY);
  });

  it('applies to one session only', async () => {
    const ids = [newId(), newId()];
    const events = await Promise.all(
      ids.map((id) => customer.json<EventResponse>('POST', `/${id}/events`, USER, 200, KEY)),
    );
    expect(events[0]!.id).not.toBe(events[1]!.id);
  });
});

describe('the list of events', () => {
  it('is paged by seq', async () => {
    const id = newId();
    for (const content of ['a', 'b', 'c']) await customer.sendMessage(id, content);
    const all = await customer.events(id);
    interface Page {
      events: EventResponse[];
      has_more: boolean;
    }
    const first = await customer.json<Page>('GET', `/${id}/events?limit=4`);
    const second = await customer.json<Page>('GET', `/${id}/events?limit=4&after=4`);
    expect([first.has_more, second.has_more]).toEqual([true, false]);
    expect([...first.events, ...second.events]).toEqual(all);
    expect((await customer.json<Page>('GET', `/${id}/events?after=6`)).events).toEqual([]);
  });

  it.each(['?after=-1', '?after=x', '?after=1.2', '?limit=0', '?limit=101', '?limit=x', '?after=1&after=2'])(
    '400 for %s',
    async (query) => {
      const id = newId();
      await customer.json('POST', '', { id }, 201);
      await customer.json('GET', `/${id}/events${query}`, undefined, 400);
    },
  );

  it('404 for an event that does not exist or belongs to another session', async () => {
    const [id, other] = [newId(), newId()];
    const event = await customer.json<EventResponse>('POST', `/${id}/events`, USER);
    await customer.json('POST', '', { id: other }, 201);
    await customer.json('GET', `/${id}/events/evt_never`, undefined, 404);
    for (const malformed of ['%00', 'never', 'turn_1', `evt_${'x'.repeat(65)}`])
      await customer.json('GET', `/${id}/events/${malformed}`, undefined, 404);
    await customer.json('GET', `/${other}/events/${event.id}`, undefined, 404);
  });
});
