import { waitFor } from '@inference/testing';
import { AgentSite, Customer, readStream } from '../agent.fixture';
import { type SessionResponse } from './session.dto';

interface Page {
  sessions: SessionResponse[];
  next_cursor: string | null;
}

/** Sends its first token later than any test waits for. */
const SILENT = 'sandbox-chat+first-delay-600000';

let site: AgentSite;
let customer: Customer;
let otherCustomer: Customer;

beforeAll(async () => {
  site = await AgentSite.start({ models: ['sandbox-chat+tokens-500+delay-20', SILENT] });
  customer = new Customer(site.url, (await site.account()).apiKey);
  otherCustomer = new Customer(site.url, (await site.account()).apiKey);
});
afterAll(() => site?.stop());

const TOOL = {
  type: 'function',
  function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true },
};

test('a session keeps the values it was created with', async () => {
  const made = { model: 'sandbox-chat', system: 'Be brief.', tools: [TOOL], metadata: { origin: 'test' } };
  const session = await customer.json<SessionResponse>('POST', '', { id: 'made:1.a_b-c', ...made }, 201);
  expect(session).toEqual({
    id: 'made:1.a_b-c',
    ...made,
    last_seq: 0,
    created_at: expect.any(String) as string,
  });
  expect(new Date(session.created_at).toISOString()).toBe(session.created_at);
  expect(await customer.json('GET', '/made:1.a_b-c')).toEqual({ ...session, open_turns: [] });
});

test('the parameters of a tool and the metadata are kept as they were sent', async () => {
  const parameters = {
    type: 'object',
    then: 1,
    prototype: 2,
    toString: null,
    properties: { list: [[{}], null] },
  };
  const tools = [{ type: 'function', function: { name: 'f', parameters, strict: null } }];
  const metadata = { then: 'a', length: '0', toString: 'b', '': 'c' };
  await customer.json('POST', '', { tools, metadata }, 400);
  const { '': _unnamed, ...named } = metadata;
  const session = await customer.json<SessionResponse>('POST', '', { tools, metadata: named }, 201);
  expect(session).toMatchObject({ tools, metadata: named });
});

test('a session can be created without a body', async () => {
  expect(await customer.json('POST', '', undefined, 201)).toMatchObject({ model: 'sandbox-chat' });
});

test('every field of a session is optional', async () => {
  const session = await customer.json<SessionResponse>('POST', '', {}, 201);
  expect(session).toMatchObject({ model: 'sandbox-chat', system: null, tools: [], metadata: {} });
  expect(session.id).toMatch(/^sess_/);
});

test.each([
  ['an id with a slash', { id: 'a/b' }],
  ['an empty id', { id: '' }],
  ['an id of two dots', { id: '..' }],
  ['an id that is too long', { id: 'x'.repeat(129) }],
  ['an id that is not a string', { id: 1 }],
  ['an empty model', { model: '' }],
  ['a model that is too long', { model: 'm'.repeat(201) }],
  ['a system prompt that is too long', { system: 'x'.repeat(262_145) }],
  ['a system prompt with NUL', { system: 'a\0' }],
  ['tools that are not a list', { tools: {} }],
  ['a tool of another type', { tools: [{ type: 'retrieval' }] }],
  ['a function without a name', { tools: [{ type: 'function', function: {} }] }],
  ['a function with spaces in its name', { tools: [{ type: 'function', function: { name: 'a b' } }] }],
  ['two functions with the same name', { tools: [TOOL, TOOL] }],
  [
    'parameters that are not an object',
    { tools: [{ type: 'function', function: { name: 'f', parameters: [] } }] },
  ],
  [
    'more than 128 tools',
    { tools: Array.from({ length: 129 }, (_, i) => ({ type: 'function', function: { name: `f${i}` } })) },
  ],
  [
    'tools that are too large',
    { tools: [{ ...TOOL, function: { name: 'f', parameters: { x: 'x'.repeat(131_072) } } }] },
  ],
  ['a list of lists of tools', { tools: [[TOOL]] }],
  ['a tool of null', { tools: [null] }],
  ['an unknown field of a tool', { tools: [{ ...TOOL, x: 1 }] }],
  ['metadata that is not an object', { metadata: ['a'] }],
  ['metadata with a value that is not a string', { metadata: { a: 1 } }],
  [
    'too much metadata',
    { metadata: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, 'v'])) },
  ],
  ['an unknown field', { mdoel: 'x' }],
  ['a list', []],
  ['invalid JSON', '{'],
])('400 for %s', async (_what, body) => {
  expect(await customer.json('POST', '', body, 400)).toEqual({ error: expect.any(String) as string });
});

test('413 for more than two mebibytes, 415 for another type', async () => {
  await customer.json('POST', '', { system: 'x'.repeat(2_200_000) }, 413);
  await customer.json('POST', '', 'id=1', 415, { 'Content-Type': 'application/x-www-form-urlencoded' });
});

test('an id can be used once by an account', async () => {
  await customer.json('POST', '', { id: 'mine' }, 201);
  await customer.json('POST', '', { id: 'mine' }, 409);
});

test('a session does not exist for another account', async () => {
  await customer.json('POST', '', { id: 'hidden' }, 201);
  const { id } = await customer.json<{ id: string }>('POST', '/hidden/events', {
    role: 'user',
    content: 'x',
  });
  for (const [method, path, body] of [
    ['GET', '/hidden'],
    ['DELETE', '/hidden'],
    ['POST', '/hidden/cancel', {}],
    ['GET', '/hidden/events'],
    ['GET', `/hidden/events/${id}`],
    ['GET', '/hidden/events/stream'],
  ] as const) {
    expect(await otherCustomer.json(method, path, body, 404)).toEqual({
      error: expect.any(String) as string,
    });
  }
  await waitFor(async () => (await customer.events('hidden')).length === 2);
});

test.each([
  ['GET', '/no%20id', 400],
  ['GET', `/${'x'.repeat(129)}`, 400],
  ['GET', '/never', 404],
  ['DELETE', '/never', 404],
  ['POST', '/never/cancel', 404],
  ['GET', '/never/events', 404],
  ['GET', '/never/events/stream', 404],
  ['PUT', '/never', 405],
  ['GET', '?limit=0', 400],
  ['GET', '?limit=101', 400],
  ['GET', '?limit=1&limit=2', 400],
  ['GET', '?cursor=x', 400],
  ['GET', '?q=', 400],
  ['GET', `?q=${'x'.repeat(513)}`, 400],
  ['GET', '?q=a%00', 400],
  ['GET', '?q=a&q=b', 400],
  ['GET', '?sort=name', 400],
])('%s %s: %i', async (method, path, status) => {
  await customer.json(method, path, undefined, status);
});

test('the list is paged, newest first, and contains only the account’s own sessions', async () => {
  const own = new Customer(site.url, (await site.account()).apiKey);
  const ids = ['a', 'b', 'c', 'd', 'e'].map((letter) => `listed:${letter}`);
  for (const id of ids) await own.json('POST', '', { id }, 201);
  const seen: string[] = [];
  let path = '?limit=2';
  for (;;) {
    const page = await own.json<Page>('GET', path);
    seen.push(...page.sessions.map(({ id }) => id));
    if (page.next_cursor === null) break;
    path = `?limit=2&cursor=${encodeURIComponent(page.next_cursor)}`;
    await otherCustomer.json('GET', path, undefined, 400);
  }
  expect(seen).toEqual(ids.reverse());
});

describe('search', () => {
  let own: Customer;
  const idsAt = async (query: string) => (await own.json<Page>('GET', query)).sessions.map(({ id }) => id);

  beforeAll(async () => {
    own = new Customer(site.url, (await site.account()).apiKey);
    const titles = { one: 'Broken INVOICE 100%', two: 'Überweisung', three: undefined, my_invoice: '' };
    for (const [id, title] of Object.entries(titles))
      await own.json('POST', '', { id, ...(title !== undefined && { metadata: { title } }) }, 201);
    await otherCustomer.json('POST', '', { id: 'foreign', metadata: { title: 'invoice' } }, 201);
  });

  it('finds parts of ids and titles in any case, and nothing of another account', async () => {
    expect(await idsAt('?q=Invoice')).toEqual(['my_invoice', 'one']);
    expect(await idsAt('?q=Invoice&sort=oldest')).toEqual(['one', 'my_invoice']);
    expect(await idsAt(`?q=${encodeURIComponent('ÜBER')}`)).toEqual(['two']);
    expect(await idsAt(`?q=${encodeURIComponent('0%')}`)).toEqual(['one']);
    expect(await idsAt('?q=foreign')).toEqual([]);
  });

  it('takes % and _ as they are', async () => {
    expect(await idsAt('?q=%25')).toEqual(['one']);
    expect(await idsAt('?q=_')).toEqual(['my_invoice']);
  });

  it('pages in either order, and a cursor belongs to its search', async () => {
    const first = await own.json<Page>('GET', '?sort=oldest&limit=3');
    expect(first.sessions.map(({ id }) => id)).toEqual(['one', 'two', 'three']);
    const cursor = encodeURIComponent(first.next_cursor!);
    expect(await idsAt(`?sort=oldest&limit=3&cursor=${cursor}`)).toEqual(['my_invoice']);
    await own.json('GET', `?limit=3&cursor=${cursor}`, undefined, 400);
    await own.json('GET', `?sort=oldest&q=o&cursor=${cursor}`, undefined, 400);
  });

  it('reads titles of any characters', async () => {
    const titles = ['\u{1F600}', '\ud800', 'a\0b', '"\\u0000'];
    for (const title of titles) await own.call('POST', '', { metadata: { title } });
    expect(await idsAt('?q=two')).toEqual(['two']);
    expect(await idsAt(`?q=${encodeURIComponent('\u{1F600}')}`)).toHaveLength(1);
  });
});

describe('a change of metadata', () => {
  it('replaces what was there, and nothing else', async () => {
    const made = await customer.json<SessionResponse>(
      'POST',
      '',
      { system: 'Be brief.', metadata: { a: 'b' } },
      201,
    );
    const metadata = { title: 'A name' };
    const changed = await customer.json<SessionResponse>('PATCH', `/${made.id}`, { metadata });
    expect(changed).toEqual({ ...made, metadata });
    expect(await customer.json('GET', `/${made.id}`)).toEqual({ ...made, metadata, open_turns: [] });
  });

  it.each([
    ['nothing', {}],
    ['a number', { metadata: { title: 1 } }],
    ['null', { metadata: null }],
    ['a text that is too long', { metadata: { title: 'x'.repeat(513) } }],
    ['another field', { metadata: {}, model: 'x' }],
  ])('refuses %s', async (_what, body) => {
    await customer.json('PATCH', '/never', body, 400);
  });

  it('is 404 for a session of another account', async () => {
    await otherCustomer.json('POST', '', { id: 'theirs', metadata: { a: 'b' } }, 201);
    await customer.json('PATCH', '/theirs', { metadata: {} }, 404);
    expect(await otherCustomer.json('GET', '/theirs')).toMatchObject({ metadata: { a: 'b' } });
  });
});

test('deleting a session aborts its turn and frees its id', async () => {
  const id = 'deleted';
  await customer.json('POST', '', { id, model: 'sandbox-chat+tokens-500+delay-20' }, 201);
  const response = await customer.call('POST', `/${id}/events/stream`, { role: 'user', content: 'Talk' });
  const internalId = await site.internalIdOf(id);
  const reader = response.body!.getReader();
  await reader.read();
  const abortedBefore = site.engine.served().aborted;
  await customer.json('DELETE', `/${id}`, undefined, 204);
  // The stream ends without a final event.
  let rest = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read())
    rest += Buffer.from(chunk.value).toString();
  expect(rest).not.toMatch(/event: (turn.c|error)/);
  await waitFor(() => Promise.resolve(site.engine.served().aborted > abortedBefore));
  await customer.json('GET', `/${id}`, undefined, 404);
  for (const table of ['turns', 'events', 'tool_calls'])
    expect(
      (await site.pool.query(`SELECT FROM agent.${table} WHERE session_id = $1`, [internalId])).rowCount,
    ).toBe(0);
  await customer.json('POST', '', { id }, 201);
});

const CANCELLED = 'The caller cancelled this turn.';

test('cancel ends running and queued turns, keeps the text so far, and can be repeated', async () => {
  const id = 'cancelled';
  await customer.json('POST', '', { id, model: 'sandbox-chat+tokens-500+delay-20' }, 201);
  const internalId = await site.internalIdOf(id);
  const running = customer.sendMessage(id, 'Talk');
  const spoken = async () =>
    (
      await site.pool.query(
        'SELECT FROM agent.stream_events WHERE n = 3 AND turn_id IN (SELECT id FROM agent.turns WHERE session_id = $1)',
        [internalId],
      )
    ).rowCount;
  await waitFor(async () => (await spoken()) === 1);
  const waiting = await customer.json<{ turn_id: string }>('POST', `/${id}/events?on_busy=enqueue`, {
    role: 'user',
    content: 'Then',
  });
  const { open_turns: open } = await customer.json<{ open_turns: { id: string; status: string }[] }>(
    'GET',
    `/${id}`,
  );
  expect(open.map(({ status }) => status)).toEqual(['running', 'queued']);
  expect(await customer.json('POST', `/${id}/cancel`)).toEqual({ cancelled: open.map((turn) => turn.id) });
  expect(open[1]!.id).toBe(waiting.turn_id);
  const streamEvents = await running;
  expect(streamEvents.at(-1)).toMatchObject({ event: 'turn.cancelled', data: { turn_id: open[0]!.id } });
  const events = await customer.events(id);
  const text = streamEvents.flatMap(({ event, data }) => (event === 'delta' ? [data.content] : [])).join('');
  expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
  expect(events.slice(2)).toMatchObject([
    { type: 'turn.cancelled', turn_id: open[1]!.id, status: 'cancelled', content: '', reason: CANCELLED },
    { type: 'message', role: 'assistant', content: text, status: 'incomplete' },
    { type: 'turn.cancelled', turn_id: open[0]!.id, status: 'cancelled', content: '', reason: CANCELLED },
  ]);
  expect(await customer.json('POST', `/${id}/cancel`)).toEqual({ cancelled: [] });
  const usage = await site.pool.query<{ outcome: string }>(
    "SELECT outcome FROM metering.usage_events WHERE model = 'sandbox-chat+tokens-500+delay-20' AND outcome = 'completed'",
  );
  expect(usage.rows).toEqual([]);
});

describe('before the model has sent anything', () => {
  const post = async (id: string): Promise<{ answer: Promise<Response> }> => {
    await customer.json('POST', '', { id, model: SILENT }, 201);
    const answer = customer.call('POST', `/${id}/events/stream`, { role: 'user', content: 'Talk' });
    await waitFor(async () => (await customer.events(id)).length === 1);
    return { answer };
  };

  it('a cancelled turn is cancelled, not failed', async () => {
    const { answer } = await post('silent:cancelled');
    await customer.json('POST', '/silent:cancelled/cancel');
    const streamEvents = await readStream(await answer);
    expect(streamEvents.map(({ event }) => event)).toEqual(['turn.started', 'turn.cancelled']);
  });

  it('deleting the session ends the request', async () => {
    const { answer } = await post('silent:deleted');
    await customer.json('DELETE', '/silent:deleted', undefined, 204);
    const response = await answer;
    // Refused, unless its stream had begun.
    expect([404, 200]).toContain(response.status);
    expect(await response.text()).not.toContain('event: turn.c');
    await customer.json('GET', '/silent:deleted', undefined, 404);
  });
});

test('the stream events of a deleted session are deleted', async () => {
  const id = 'deleted:again';
  for (let round = 0; round < 10; round++) {
    await customer.json('POST', '', { id, model: 'sandbox-chat+tokens-500+delay-20' }, 201);
    await customer.json('POST', `/${id}/events`, { role: 'user', content: 'Talk' });
    const turn =
      'SELECT turn_id FROM agent.stream_events WHERE n = 2 AND turn_id IN (SELECT id FROM agent.turns WHERE session_id = $1)';
    const values = [await site.internalIdOf(id)];
    await waitFor(async () => (await site.pool.query(turn, values)).rowCount);
    await customer.json('DELETE', `/${id}`, undefined, 204);
  }
  const left =
    'SELECT FROM agent.stream_events e WHERE NOT EXISTS (SELECT FROM agent.turns t WHERE t.id = e.turn_id)';
  await waitFor(async () => (await site.pool.query(left)).rowCount === 0);
});

test('a session has at most 100 open turns, and all of them are cancelled together', async () => {
  const id = 'crowded';
  await customer.json('POST', '', { id, model: SILENT }, 201);
  const post = (status: number) =>
    customer.json('POST', `/${id}/events?on_busy=enqueue`, { role: 'user', content: 'x' }, status);
  for (let turns = 0; turns < 100; turns++) await post(200);
  await post(429);
  const { cancelled } = await customer.json<{ cancelled: string[] }>('POST', `/${id}/cancel`);
  expect(cancelled).toHaveLength(100);
});
