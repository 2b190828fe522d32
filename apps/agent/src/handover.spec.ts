import { waitFor } from '@inference/testing';
import { AgentSite, Customer, readFrames, textOf } from './agent.fixture';
import { ScriptedModel } from './scripted-model.fixture';

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

test('a process that stops takes no more streams, but shows those of its own turns to their end', async () => {
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

  // Whoever follows what runs elsewhere is sent there.
  expect(await followed.text()).not.toMatch(/event: (turn.c|error)/);
  for (const response of [
    await leaves.call('POST', '/new/events/stream', { role: 'user', content: 'x' }),
    await leaves.call('GET', '/foreign/events/stream'),
  ]) {
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(response.headers.get('connection')).toBe('close');
    expect(await response.json()).toMatchObject({ code: 'stopping' });
  }
  await stays.json('GET', '/new', undefined, 404);
  const joined = await leaves.call('GET', '/own/events/stream');
  await waitFor(() => Promise.resolve(ends.length === 2));
  for (const end of ends) end();
  for (const response of [own, joined, foreign]) {
    const frames = await readFrames(response);
    expect(textOf(frames)).toBe('So long.');
    expect(frames.at(-1)!.event).toBe('turn.completed');
  }
  await stopping;
  expect((await site.pool.query('SELECT FROM agent.replicas')).rowCount).toBe(1);
});

test('what a process breaks off when it ends has failed, and the same request does not run again', async () => {
  const { apiKey } = await site.account();
  const stays = new Customer(site.url, apiKey);
  const other = await site.startReplica({ SHUTDOWN_GRACE_SECONDS: '0' });
  const leaves = new Customer(other.url, apiKey);
  model.says((answer) => answer.delta({ content: 'Half' }));
  await stays.json('POST', '', { id: 'broken', model: 'scripted' }, 201);
  const key = { 'Idempotency-Key': 'k' };
  const running = leaves.say('broken', 'x', '', key);
  await waitFor(async () => (await site.pool.query("SELECT FROM agent.frames WHERE data = 'Half'")).rowCount);
  await other.close();
  const frames = await running;
  expect(frames.at(-1)).toMatchObject({ event: 'error', data: { code: 'interrupted', retryable: true } });
  const again = await stays.call('POST', '/broken/events/stream', { role: 'user', content: 'x' }, key);
  expect(again.headers.get('idempotent-replayed')).toBe('true');
  expect(await readFrames(again)).toEqual(frames);
  expect(await stays.events('broken')).toHaveLength(3);
});
