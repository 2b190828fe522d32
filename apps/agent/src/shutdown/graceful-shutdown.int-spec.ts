import { once } from 'node:events';
import { type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { ScriptedModel, waitFor } from '@inference/testing';
import { AgentSite, Customer, readStream, textOf } from '../agent.fixture';
import { type EventResponse } from '../events/event.response';

let model: ScriptedModel;
let site: AgentSite;

beforeAll(async () => {
  model = await ScriptedModel.start();
  site = await AgentSite.start({
    models: ['scripted'],
    upstreams: [{ name: 'scripted', base_url: model.url, models: ['scripted'] }],
    environment: { SHUTDOWN_GRACE_SECONDS: '30' },
  });
});
afterAll(async () => {
  await site?.stop();
  model?.close();
});

test('a stopping process refuses new streams and finishes those of its own turns', async () => {
  const { apiKey } = await site.account();
  const stays = new Customer(site.url, apiKey);
  const other = await site.startReplica();
  const leaves = new Customer(other.url, apiKey);
  const ends: (() => void)[] = [];
  model.says(async (answer) => {
    answer.delta({ content: 'So ' });
    await new Promise<void>((resolve) => ends.push(resolve));
    answer.delta({ content: 'long.' });
    answer.finish('stop');
  });
  for (const id of ['own', 'foreign']) await stays.json('POST', '', { id, model: 'scripted' }, 201);
  const own = await leaves.call('POST', '/own/events/stream', { role: 'user', content: 'x' });
  const foreign = await stays.call('POST', '/foreign/events/stream', { role: 'user', content: 'x' });
  const followed = await leaves.call('GET', '/foreign/events/stream');
  const stopping = other.close();

  // The stream of a turn that runs elsewhere ends; the client resumes there.
  expect(await followed.text()).not.toMatch(/event: (turn.c|error)/);
  for (const response of [
    await leaves.call('POST', '/new/events/stream', { role: 'user', content: 'x' }),
    await leaves.call('POST', '/new/events/stream', { role: 'assistant', content: 'x' }),
    await leaves.call('GET', '/foreign/events/stream'),
  ]) {
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(response.headers.get('connection')).toBe('close');
    expect(await response.json()).toMatchObject({ code: 'stopping' });
  }
  await stays.json('GET', '/new', undefined, 404);
  // A posted event is stored, and its turn runs elsewhere.
  const posted = await leaves.json<EventResponse>('POST', '/posted/events', { role: 'user', content: 'x' });
  expect(posted.status).toBe('queued');
  await waitFor(async () => (await stays.events('posted'))[1]?.status === 'completed');
  const joined = await leaves.call('GET', '/own/events/stream');
  await waitFor(() => Promise.resolve(ends.length === 2));
  for (const end of ends) end();
  for (const response of [own, joined, foreign]) {
    const streamEvents = await readStream(response);
    expect(textOf(streamEvents)).toBe('So long.');
    expect(streamEvents.at(-1)!.event).toBe('turn.completed');
  }
  await stopping;
  expect((await site.pool.query('SELECT FROM agent.replicas')).rowCount).toBe(1);
});

test('a turn that is interrupted by shutdown fails, and the same request does not run again', async () => {
  const { apiKey } = await site.account();
  const stays = new Customer(site.url, apiKey);
  const other = await site.startReplica({ SHUTDOWN_GRACE_SECONDS: '0' });
  const leaves = new Customer(other.url, apiKey);
  model.says((answer) => answer.delta({ content: 'Half' }));
  await stays.json('POST', '', { id: 'broken', model: 'scripted' }, 201);
  const key = { 'Idempotency-Key': 'k' };
  const running = leaves.sendMessage('broken', 'x', '', key);
  await waitFor(
    async () => (await site.pool.query("SELECT FROM agent.stream_events WHERE data = 'Half'")).rowCount,
  );
  await other.close();
  const streamEvents = await running;
  expect(streamEvents.at(-1)).toMatchObject({
    event: 'error',
    data: { code: 'interrupted', retryable: true },
  });
  const again = await stays.call('POST', '/broken/events/stream', { role: 'user', content: 'x' }, key);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await readStream(again)).toEqual(streamEvents);
  expect(await stays.events('broken')).toHaveLength(3);
});

test('a client that stops reading does not delay shutdown', async () => {
  const { apiKey } = await site.account();
  const stays = new Customer(site.url, apiKey);
  const other = await site.startReplica({ CLIENT_STALL_TIMEOUT_SECONDS: '3600' });
  model.says((answer) => {
    for (let sent = 0; sent < 3_000; sent++) answer.delta({ content: 'x'.repeat(4_000) });
    answer.finish('stop');
  });
  await stays.json('POST', '', { id: 'long', model: 'scripted' }, 201);
  await stays.json('POST', '/long/events', { role: 'user', content: 'Talk' });
  await waitFor(async () => (await stays.json<{ last_seq: number }>('GET', '/long')).last_seq === 2);
  const atServer: Socket[] = [];
  (other.app.getHttpServer() as Server).on('connection', (connection: Socket) => atServer.push(connection));
  const { hostname, port } = new URL(other.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.write(
    `GET /v1/agents/sessions/long/events/stream HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`,
  );
  await once(socket, 'data');
  socket.pause();
  // Waits until both sockets are full.
  let looks = 0;
  let written = 0;
  await waitFor(() => {
    const [{ bytesWritten, writableLength } = { bytesWritten: 0, writableLength: 0 }] = atServer;
    looks = writableLength > 0 && bytesWritten === written ? looks + 1 : 0;
    written = bytesWritten;
    return Promise.resolve(looks === 10);
  });
  await other.close();
  socket.destroy();
});
