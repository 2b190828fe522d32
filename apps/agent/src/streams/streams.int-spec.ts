import { once } from 'node:events';
import { connect } from 'node:net';
import { newId } from '@inference/database';
import { ScriptedModel, waitFor } from '@inference/testing';
import { AgentSite, Customer, readStream, type ReceivedEvent, textOf } from '../agent.fixture';
import { type EventResponse } from '../events/event.response';
import { StreamEventCleanupJob } from './stream-event-cleanup.job';
import { StreamHub } from './stream-hub';

const SLOW = 'sandbox-chat+tokens-30+delay-20';
/** More than the sockets of both sides hold. */
const LONG_CHARS = 12_000_000;

let model: ScriptedModel;
let site: AgentSite;
let here: Customer;
let there: Customer;
let apiKey: string;
let count = 0;

beforeAll(async () => {
  model = await ScriptedModel.start();
  site = await AgentSite.start({
    models: [SLOW, 'scripted'],
    upstreams: [{ name: 'scripted', base_url: model.url, models: ['scripted'] }],
    environment: { HEARTBEAT_SECONDS: '0.2', CLIENT_STALL_TIMEOUT_SECONDS: '2' },
  });
  const other = await site.startReplica();
  ({ apiKey } = await site.account());
  here = new Customer(site.url, apiKey);
  there = new Customer(other.url, apiKey);
});
afterAll(async () => {
  await site?.stop();
  model?.close();
});

async function newSession(of = SLOW): Promise<string> {
  const id = `streams-${++count}`;
  await here.json('POST', '', { id, model: of }, 201);
  return id;
}

const resume = (customer: Customer, id: string, after?: string) =>
  customer.call(
    'GET',
    `/${id}/events/stream`,
    undefined,
    after === undefined ? {} : { 'Last-Event-ID': after },
  );

describe('resuming', () => {
  it('continues after any event of a finished turn, at any replica', async () => {
    const id = await newSession();
    const streamEvents = await here.sendMessage(id, 'Hello');
    for (const customer of [here, there]) {
      expect(await readStream(await resume(customer, id))).toEqual(streamEvents);
      for (let at = 0; at < streamEvents.length - 1; at++)
        expect(await readStream(await resume(customer, id, streamEvents[at]!.id))).toEqual(
          streamEvents.slice(at + 1),
        );
      expect(await readStream(await resume(customer, id, '1.0'))).toEqual(streamEvents);
    }
    const query = await there.call('GET', `/${id}/events/stream?after=${streamEvents[1]!.id}`);
    expect(await readStream(query)).toEqual(streamEvents.slice(2));
  });

  it('streams a running turn at any replica with the same text', async () => {
    const id = await newSession();
    const running = here.sendMessage(id, 'Hello');
    await waitFor(async () => (await here.events(id)).length === 1);
    const followers = await Promise.all([resume(here, id), resume(there, id), resume(there, id, '1.1')]);
    const streamEvents = await running;
    expect(await readStream(followers[0]!)).toEqual(streamEvents);
    expect(await readStream(followers[1]!)).toEqual(streamEvents);
    expect(await readStream(followers[2]!)).toEqual(streamEvents.slice(1));
    expect(textOf(streamEvents)).toBe((await here.events(id))[1]!.content);
  });

  it('continues with the next turn after the last event of a turn, and ends with 204', async () => {
    const id = await newSession('sandbox-chat');
    const [first, second] = [await here.sendMessage(id, 'One'), await here.sendMessage(id, 'Two')];
    expect(await readStream(await resume(there, id, first.at(-1)!.id))).toEqual(second);
    const end = await resume(there, id, second.at(-1)!.id);
    expect([end.status, await end.text()]).toEqual([204, '']);
    // Without a position: the latest turn.
    expect(await readStream(await resume(there, id))).toEqual(second);
  });

  it('204 for a session without events', async () => {
    expect((await resume(here, await newSession())).status).toBe(204);
  });

  it.each(['x', '1', '1.', '.1', '0.1', '1.-1', '1.1.1', '9999999999.1', '1.99999', '7.1'])(
    '400 for the position %s',
    async (after) => {
      const id = await newSession('sandbox-chat');
      await here.sendMessage(id, 'Hello');
      const response = await resume(here, id, after);
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: expect.any(String) as string });
    },
  );

  it('400 for two positions in the query', async () => {
    const response = await here.call('GET', `/${await newSession()}/events/stream?after=1.1&after=1.2`);
    expect(response.status).toBe(400);
  });

  it('410 after the retention time; the events of the session stay', async () => {
    const id = await newSession('sandbox-chat');
    const key = { 'Idempotency-Key': 'k' };
    await here.sendMessage(id, 'Hello', '', key);
    const open = await newSession('scripted');
    model.says((answer) => answer.delta({ content: 'Not all' }));
    const { turn_id: openTurn } = await here.json<EventResponse>('POST', `/${open}/events`, {
      role: 'user',
      content: 'Hello',
    });
    const countStreamEvents = async (turnId: string) =>
      (await site.pool.query('SELECT FROM agent.stream_events WHERE turn_id = $1', [turnId])).rowCount;
    await waitFor(async () => (await countStreamEvents(openTurn)) === 2);
    const deleted = newId('turn');
    await site.pool.query("INSERT INTO agent.stream_events VALUES ($1, 1, 'delta', 'late')", [deleted]);
    const before = await here.events(id);
    jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 25 * 3_600_000);
    await site.replicas[0]!.app.get(StreamEventCleanupJob).deleteExpired();
    jest.restoreAllMocks();
    expect(await countStreamEvents(deleted)).toBe(0);
    expect(await countStreamEvents(openTurn)).toBe(2);
    await here.json('POST', `/${open}/cancel`);
    expect((await resume(here, id, '1.2')).status).toBe(410);
    const message = { role: 'user', content: 'Hello' };
    expect((await here.call('POST', `/${id}/events/stream`, message, key)).status).toBe(410);
    expect((await here.call('POST', `/${id}/events`, message, key)).status).toBe(200);
    expect((await resume(here, id)).status).toBe(204);
    expect(await here.events(id)).toEqual(before);
  });

  it('keeps stream events within the retention time', async () => {
    const id = await newSession('sandbox-chat');
    const streamEvents = await here.sendMessage(id, 'Hello');
    await site.replicas[0]!.app.get(StreamEventCleanupJob).deleteExpired();
    expect(await readStream(await resume(here, id))).toEqual(streamEvents);
  });
});

describe('a client that leaves', () => {
  it('does not cancel the turn', async () => {
    const id = await newSession();
    const leaving = new AbortController();
    const response = await fetch(`${site.url}/v1/agents/sessions/${id}/events/stream`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ role: 'user', content: 'Hello' }),
      signal: leaving.signal,
    });
    await response.body!.getReader().read();
    leaving.abort();
    await waitFor(async () => (await here.events(id)).length === 2);
    expect((await here.events(id))[1]).toMatchObject({ status: 'completed' });
  });

  it('and resumes repeatedly receives every event once', async () => {
    const id = await newSession();
    await here.json('POST', `/${id}/events`, { role: 'user', content: 'Hello' });
    const seen: ReceivedEvent[] = [];
    while (seen.at(-1)?.event !== 'turn.completed') {
      const leaving = new AbortController();
      const customer = seen.length % 2 ? here : there;
      const response = await resume(customer, id, seen.at(-1)?.id);
      expect(response.status).toBe(200);
      const reader = response.body!.getReader();
      let text = '';
      while (!/\n\n.*\n\n/s.test(text)) {
        const { done, value } = await reader.read();
        if (done) break;
        text += Buffer.from(value).toString();
      }
      leaving.abort();
      await reader.cancel();
      const whole = text.slice(0, text.lastIndexOf('\n\n') + 2);
      seen.push(...(await readStream(new Response(whole))));
    }
    expect(seen.map((streamEvent) => streamEvent.id)).toEqual(seen.map((_, index) => `1.${index + 1}`));
    expect(textOf(seen)).toBe((await here.events(id))[1]!.content);
  });
});

describe('a silent turn', () => {
  it('sends comments, also before its first event', async () => {
    const id = await newSession('scripted');
    let continueAnswer: () => void = () => undefined;
    model.says(async (answer) => {
      await new Promise<void>((resolve) => (continueAnswer = resolve));
      answer.delta({ content: 'At last.' });
      answer.finish('stop');
    });
    const asked = model.requests.length;
    await here.json('POST', `/${id}/events`, { role: 'user', content: 'Hello' });
    const waiting = await here.call('POST', `/${id}/events/stream?on_busy=enqueue`, {
      role: 'user',
      content: 'More',
    });
    const reader = waiting.body!.getReader();
    let text = '';
    while ((text.match(/^:/gm) ?? []).length < 3)
      text += Buffer.from((await reader.read()).value!).toString();
    expect(text).not.toContain('data:');
    await waitFor(() => model.requests.length > asked);
    continueAnswer();
    model.says((answer) => answer.finish('stop'));
    while (!text.includes('turn.completed')) text += Buffer.from((await reader.read()).value!).toString();
    expect(textOf(await readStream(await resume(there, id)))).toBe('');
  });
});

describe('a client that stops reading', () => {
  const talk = () =>
    model.says((answer) => {
      const piece = 'x'.repeat(4_000);
      for (let sent = 0; sent < LONG_CHARS; sent += piece.length) answer.delta({ content: piece });
      answer.finish('stop');
    });

  it('is disconnected, does not delay the turn, and can resume', async () => {
    const id = await newSession('scripted');
    talk();
    const body = JSON.stringify({ role: 'user', content: 'Talk' });
    const { hostname, port } = new URL(site.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/agents/sessions/${id}/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    socket.on('error', () => undefined);
    const [first] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    // The turn still runs to its end.
    await waitFor(async () => (await here.events(id)).length === 2);
    expect((await here.events(id))[1]!.content).toHaveLength(LONG_CHARS);
    const hub = site.replicas[0]!.app.get(StreamHub);
    await waitFor(() => Promise.resolve(!hub.hasSubscribers));
    let received = first.length;
    socket.on('data', (chunk: Buffer) => (received += chunk.length));
    socket.resume();
    await once(socket, 'close');
    expect(first.toString()).toContain('200 OK');
    expect(received).toBeLessThan(LONG_CHARS);
    const streamEvents = await readStream(await resume(there, id));
    expect(textOf(streamEvents)).toHaveLength(LONG_CHARS);
    expect(streamEvents.map((streamEvent) => streamEvent.id)).toEqual(
      streamEvents.map((_, index) => `1.${index + 1}`),
    );
  });
});

test('a turn that was posted in the background can be streamed from its beginning', async () => {
  const id = await newSession();
  const { turn_id: turnId } = await here.json<EventResponse>('POST', `/${id}/events`, {
    role: 'user',
    content: 'Hello',
  });
  const streamEvents = await readStream(await resume(there, id));
  expect(streamEvents[0]).toMatchObject({ event: 'turn.started', id: '1.1', data: { turn_id: turnId } });
  expect(streamEvents.at(-1)!.event).toBe('turn.completed');
});

describe('an account or key that is suspended', () => {
  const set = (table: 'accounts' | 'api_keys', id: string, at = 'now()') =>
    site.pool.query(`UPDATE accounts.${table} SET suspended_at = ${at} WHERE id = $1`, [id]);
  const REPLICAS = [0, 1];

  it.each([
    ['accounts', 'account_suspended', 403],
    ['api_keys', 'api_key_gone', 401],
  ] as const)('of the %s loses its streams, and its turn fails for good', async (table, code, status) => {
    const { accountId, apiKeyId, apiKey } = await site.account();
    const [own, elsewhere] = REPLICAS.map((index) => new Customer(site.replicas[index]!.url, apiKey));
    const id = `suspended-${code}`;
    await own!.json('POST', '', { id, model: 'scripted' }, 201);
    let isLeft = false;
    model.says(async (answer) => {
      answer.delta({ content: 'Hello' });
      await answer.left();
      isLeft = true;
    });
    const running = own!.sendMessage(id, 'Hello');
    await waitFor(async () => (await own!.events(id)).length === 1);
    const following = readStream(await resume(elsewhere!, id));
    // The first text has arrived.
    await waitFor(async () => {
      const { rowCount } = await site.pool.query(
        "SELECT FROM agent.stream_events e JOIN agent.turns t ON t.id = e.turn_id JOIN agent.sessions s ON s.id = t.session_id WHERE s.public_id = $1 AND e.kind = 'delta'",
        [id],
      );
      return rowCount === 1;
    });
    const suspendedAt = performance.now();
    await set(table, table === 'accounts' ? accountId : apiKeyId);
    for (const events of await Promise.all([running, following]))
      expect(events.at(-1)).toMatchObject({ event: 'error', data: { code, retryable: false } });
    expect(performance.now() - suspendedAt).toBeLessThan(5_000);
    await waitFor(() => isLeft);
    for (const customer of [own!, elsewhere!])
      await waitFor(async () => (await customer.call('GET', '')).status === status);
    await set(table, table === 'accounts' ? accountId : apiKeyId, 'NULL');
    await waitFor(async () => (await own!.call('GET', '')).status === 200);
    // Nothing runs again by itself, and what was produced is paid.
    expect((await own!.events(id)).map(({ type, status: of }) => [type, of])).toEqual([
      ['message', 'failed'],
      ['message', 'incomplete'],
      ['turn.failed', 'failed'],
    ]);
    const { rows } = await waitFor(async () => {
      const found = await site.pool.query(
        'SELECT outcome, output_tokens FROM metering.usage_events WHERE account_id = $1',
        [accountId],
      );
      return found.rows.length > 0 && found;
    });
    expect(rows).toEqual([{ outcome: 'interrupted', output_tokens: 1n }]);
  });

  it('loses a stream that has nothing to say', async () => {
    const { accountId, apiKey: key } = await site.account();
    const own = new Customer(site.url, key);
    await own.json('POST', '', { id: 'silent', model: 'scripted' }, 201);
    const posted = own.json('POST', '/silent/events', { role: 'user', content: 'Hello' });
    model.says((answer) => answer.left());
    await posted.catch(() => undefined);
    const following = readStream(await resume(own, 'silent'));
    const suspendedAt = performance.now();
    await set('accounts', accountId);
    expect((await following).at(-1)).toMatchObject({ event: 'error', data: { code: 'account_suspended' } });
    expect(performance.now() - suspendedAt).toBeLessThan(5_000);
  });
});
