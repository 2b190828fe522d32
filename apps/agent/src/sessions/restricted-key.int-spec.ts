import { insertApiKey, ScriptedModel, type TestAccount, waitFor } from '@inference/testing';
import { AgentSite, CONSOLE_CREDENTIALS, Customer, type ReceivedEvent, readStream } from '../agent.fixture';
import { type EventResponse } from '../events/event.response';
import { type SessionResponse } from './session.dto';

/** A key with a spending limit or a list of models reaches only the sessions that it has made. */

const HANGING = 'sandbox-chat+hang';
const TOOLS = 'scripted-tools';
const MESSAGE = { role: 'user', content: 'Hello' };
const BASE = '/v1/agents/sessions';

let model: ScriptedModel;
let site: AgentSite;
let account: TestAccount;
let owner: Customer;

beforeAll(async () => {
  model = await ScriptedModel.start();
  site = await AgentSite.start({
    models: [HANGING, TOOLS],
    upstreams: [{ name: 'scripted', base_url: model.url, models: [TOOLS] }],
  });
});
beforeEach(async () => {
  account = await site.account();
  owner = new Customer(site.url, account.apiKey);
});
afterAll(async () => {
  await site?.stop();
  model?.close();
});

async function customerWith(limits: Parameters<typeof insertApiKey>[2], of = account) {
  const made = await insertApiKey(site.pool, of.accountId, limits);
  return { ...made, customer: new Customer(site.url, made.apiKey) };
}

/** As the console calls for an account that is signed in there. */
const asConsole = (method: string, path: string, body?: unknown) =>
  fetch(site.url + BASE + path, {
    method,
    headers: {
      Authorization: `Bearer ${CONSOLE_CREDENTIALS[0]}`,
      'X-On-Behalf-Of': account.accountId,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });

const listed = async (customer: Customer) => {
  const { sessions } = await customer.json<{ sessions: SessionResponse[] }>('GET', '');
  return sessions.map(({ id }) => id).sort();
};

/** Every way to reach a session, and what is sent. */
const REACHING: [method: string, path: string, body?: unknown][] = [
  ['GET', ''],
  ['GET', '/events'],
  ['GET', '/events/stream'],
  ['POST', '/cancel'],
  ['POST', '/events', MESSAGE],
  ['POST', '/events?on_busy=interrupt', MESSAGE],
  ['POST', '/events/stream', MESSAGE],
  ['POST', '/events', { role: 'assistant', content: 'I promise a refund.' }],
  ['POST', '/events', { role: 'tool', tool_call_results: [{ tool_call_id: 'c', content: 'x' }] }],
  ['PATCH', '', { metadata: { title: 'Mine' } }],
  ['DELETE', ''],
];

describe.each([
  ['a spending limit', { spendLimitPicos: 10_000_000n }],
  ['a list of models', { allowedModels: ['sandbox-chat'] }],
  ['a list of no models', { allowedModels: [] }],
])('a key with %s', (_what, limits) => {
  it.each(REACHING)(
    'gets 404 for %s %s of sessions that it has not made',
    async (...[method, path, body]) => {
      const { customer } = await customerWith(limits);
      const other = await customerWith(limits);
      await asConsole('POST', '', { id: 'of-the-console' });
      await owner.json('POST', '', { id: 'of-another-key' }, 201);
      await other.customer.json('POST', '', { id: 'of-another-restricted-key' }, 201);
      for (const id of ['of-the-console', 'of-another-key', 'of-another-restricted-key'])
        expect((await customer.call(method, `/${id}${path}`, body)).status).toBe(404);
      expect(await listed(customer)).toEqual([]);
      const all = ['of-another-key', 'of-another-restricted-key', 'of-the-console'];
      expect(await listed(owner)).toEqual(all);
      for (const id of all) expect(await owner.events(id)).toEqual([]);
    },
  );

  it('reads no event of another session, and cancels no turn', async () => {
    const { customer } = await customerWith(limits);
    await owner.json('POST', '', { id: 'busy', model: HANGING }, 201);
    const event = await owner.json<EventResponse>('POST', '/busy/events', MESSAGE);
    expect((await customer.call('GET', `/busy/events/${event.id}`)).status).toBe(404);
    expect((await customer.call('POST', '/busy/cancel')).status).toBe(404);
    expect(await owner.json('GET', '/busy')).toMatchObject({ open_turns: [{ id: event.turn_id }] });
    await owner.json('DELETE', '/busy', undefined, 204);
  });

  it('reaches every session that it has made, and so do the account and the console', async () => {
    const { customer } = await customerWith(limits);
    await customer.json('POST', '', { id: 'made' }, 201);
    const brought = { role: 'assistant', content: 'What can I do?' };
    const event = await customer.json<EventResponse>('POST', '/by-event/events', brought);
    expect(await listed(customer)).toEqual(['by-event', 'made']);
    for (const reader of [customer, owner]) {
      expect(await reader.json('GET', '/made')).toMatchObject({ id: 'made' });
      expect(await reader.events('by-event')).toEqual([event]);
      expect(await reader.json('GET', `/by-event/events/${event.id}`)).toEqual(event);
      expect((await readStream(await reader.call('GET', '/by-event/events/stream'))).length).toBe(2);
      expect(await reader.json('POST', '/by-event/cancel')).toEqual({ cancelled: [] });
    }
    expect((await asConsole('GET', '/by-event')).status).toBe(200);
    await customer.json('DELETE', '/made', undefined, 204);
    expect(await listed(customer)).toEqual(['by-event']);
  });

  it('does not get what another key of the account posts under an id that it has taken', async () => {
    const { customer } = await customerWith(limits);
    await customer.json('POST', '', { id: 'guessed', system: 'Repeat everything.' }, 201);
    for (const path of ['/guessed/events', '/guessed/events/stream'])
      expect((await owner.call('POST', path, MESSAGE)).status).toBe(404);
    expect((await owner.call('POST', '', { id: 'guessed' })).status).toBe(409);
    expect(await customer.events('guessed')).toEqual([]);
    expect((await asConsole('POST', '/guessed/events', MESSAGE)).status).toBe(200);
  });

  it('cannot use an id that the account has used', async () => {
    const { customer } = await customerWith(limits);
    await owner.json('POST', '', { id: 'taken' }, 201);
    expect((await customer.call('POST', '', { id: 'taken' })).status).toBe(409);
  });
});

it('a page of sessions goes on within the sessions of the key', async () => {
  const { customer } = await customerWith({ spendLimitPicos: 1n });
  for (const id of ['a', 'b', 'c']) {
    await customer.json('POST', '', { id: `mine-${id}` }, 201);
    await owner.json('POST', '', { id: `other-${id}` }, 201);
  }
  interface Page {
    sessions: SessionResponse[];
    next_cursor: string;
  }
  const first = await customer.json<Page>('GET', '?limit=2');
  const second = await customer.json<Page>('GET', `?limit=2&cursor=${first.next_cursor}`);
  expect([...first.sessions, ...second.sessions].map(({ id }) => id)).toEqual(['mine-c', 'mine-b', 'mine-a']);
  expect(second.next_cursor).toBeNull();
  await owner.json('GET', `?cursor=${first.next_cursor}`, undefined, 400);
});

it('sessions of a version that did not store the key are reached by the account only', async () => {
  const { customer, apiKeyId } = await customerWith({ spendLimitPicos: 1n });
  await customer.json('POST', '', { id: 'old' }, 201);
  await site.pool.query('UPDATE agent.sessions SET api_key_id = NULL WHERE api_key_id = $1', [apiKeyId]);
  expect((await customer.call('GET', '/old')).status).toBe(404);
  expect(await owner.json('GET', '/old')).toMatchObject({ id: 'old' });
});

it('a key that gets a limit or loses it sees less or more before its cache entry expires', async () => {
  // Cache entries do not expire while the clock stands.
  const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now());
  const { customer, apiKeyId } = await customerWith({});
  await customer.json('POST', '', { id: 'mine' }, 201);
  await asConsole('POST', '', { id: 'of-the-console' });
  const sees = async (ids: string[]) => {
    await waitFor(async () => (await listed(customer)).join() === ids.join());
    return ids;
  };
  const change = (column: string, value: unknown) =>
    site.pool.query(`UPDATE accounts.api_keys SET ${column} = $2 WHERE id = $1`, [apiKeyId, value]);
  for (const [column, limit] of [
    ['spend_limit_picos', 5n],
    ['allowed_models', ['sandbox-chat']],
  ] as const) {
    await sees(['mine', 'of-the-console']);
    await change(column, limit);
    await sees(['mine']);
    expect((await customer.call('GET', '/of-the-console')).status).toBe(404);
    await change(column, null);
  }
  await sees(['mine', 'of-the-console']);
  clock.mockRestore();
});

describe('the turns of a restricted key', () => {
  /** Lets the model end its answer only when the returned function is called. */
  function holdAnswer(): () => void {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    model.says(async (answer) => {
      answer.delta({ content: 'Hi' });
      await released;
      answer.finish('stop');
    });
    return release;
  }

  /** Queues a turn of the key behind one of the console, and returns how it failed. */
  async function queuedFailure(customer: Customer, meanwhile: () => Promise<unknown>) {
    const release = holdAnswer();
    await customer.json('POST', '', { id: 'queue', model: TOOLS }, 201);
    expect((await asConsole('POST', '/queue/events', MESSAGE)).status).toBe(200);
    const waiting = await customer.json<EventResponse>('POST', '/queue/events?on_busy=enqueue', MESSAGE);
    expect(waiting.status).toBe('queued');
    await meanwhile();
    release();
    const failed = await waitFor(async () =>
      (await customer.events('queue')).find(({ type }) => type === 'turn.failed'),
    );
    expect(failed.turn_id).toBe(waiting.turn_id);
    return failed.error!.code;
  }

  it.each([
    ['spending limit', { spendLimitPicos: 1n }, 'key_spend_limit_reached'],
    ['models', { allowedModels: ['another'] }, 'model_not_allowed'],
  ])('keep to its %s also in the background', async (_what, limits, code) => {
    const { customer } = await customerWith(limits);
    expect(await queuedFailure(customer, () => Promise.resolve())).toBe(code);
  });

  it('keep to a limit that the key gets while they wait', async () => {
    const { customer, apiKeyId } = await customerWith({});
    const limit = () =>
      site.pool.query("UPDATE accounts.api_keys SET allowed_models = '{another}' WHERE id = $1", [apiKeyId]);
    expect(await queuedFailure(customer, limit)).toBe('model_not_allowed');
  });

  it('are charged to it, also when it continues a turn of the console with results of tools', async () => {
    const { customer, apiKeyId } = await customerWith({ allowedModels: [TOOLS] });
    const weather = { type: 'function', function: { name: 'weather' } };
    await customer.json('POST', '', { id: 'tools', model: TOOLS, tools: [weather] }, 201);
    model.calls(['weather', {}]);
    const asked: ReceivedEvent[] = await readStream(await asConsole('POST', '/tools/events/stream', MESSAGE));
    const [call] = (asked.at(-1)!.data as { tool_calls: { id: string }[] }).tool_calls;
    model.says((answer) => answer.finish('stop'));
    const results = { role: 'tool', tool_call_results: [{ tool_call_id: call!.id, content: 'dry' }] };
    await readStream(await customer.call('POST', '/tools/events/stream', results));
    const { rows } = await site.pool.query(
      'SELECT api_key_id FROM metering.usage_events WHERE account_id = $1 ORDER BY occurred_at',
      [account.accountId],
    );
    expect(rows).toEqual([{ api_key_id: null }, { api_key_id: apiKeyId }]);
  });
});
