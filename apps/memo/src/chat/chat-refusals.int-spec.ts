import { ScriptedModel, waitFor } from '@inference/testing';
import { MemoSite, type Person } from '../memo.fixture';
import { MODEL, POLICY, QUESTION, readEvents } from './chat-client.fixture';

const named = (behaviour: string) => `sandbox-chat+${behaviour}`;
const ANSWERING = 'sandbox-chat';
const MODELS = ['status-429', 'status-500', 'status-503', 'fail-before', 'hang'].map(named);

let model: ScriptedModel;
let site: MemoSite;
let owner: Person;
let workspace: string;

beforeAll(async () => {
  model = await ScriptedModel.start();
  site = await MemoSite.start({
    models: [...MODELS, MODEL, ANSWERING],
    upstreams: [{ name: 'scripted', base_url: model.url, models: [MODEL] }],
  });
  site.startIngestion();
  owner = await site.person();
  workspace = await owner.newWorkspace();
  await owner.addDocument(workspace, POLICY);
});
afterAll(async () => {
  await site?.stop();
  model?.close();
});

const ask = (url: string) => owner.at(url).call('POST', `/${workspace}/chat`, { query: QUESTION });

it.each([
  [429, { CHAT_MODEL: named('status-429') }, '1'],
  [502, { CHAT_MODEL: named('status-500') }, null],
  [503, { CHAT_MODEL: named('status-503') }, '1'],
  [502, { CHAT_MODEL: named('fail-before') }, null],
  [504, { CHAT_MODEL: named('hang'), MODEL_SILENCE_TIMEOUT_SECONDS: '0.5' }, null],
  [404, { CHAT_MODEL: 'never' }, null],
  [503, { CHAT_MODEL: MODEL, GATEWAY_URL: 'http://127.0.0.1:9' }, null],
])('answers %i with %j before the stream starts, and stores nothing', async (status, environment, retry) => {
  const replica = await site.startReplica(environment);
  const response = await ask(replica.url);
  const body = await response.text();
  expect([response.status, body]).toEqual([status, expect.any(String)]);
  expect(JSON.parse(body)).toEqual({
    error: expect.any(String) as string,
    code: expect.any(String) as string,
  });
  expect(response.headers.get('content-type')).toContain('application/json');
  expect(response.headers.get('retry-after')).toBe(retry);
  expect(await owner.json('GET', `/${workspace}/conversations`)).toMatchObject({ conversations: [] });
  await replica.close();
});

it('keeps to the limits of the account for the model, and tells when to ask again', async () => {
  const replica = await site.startReplica({ CHAT_MODEL: ANSWERING });
  await site.pool.query(
    `INSERT INTO limits.overrides (account_id, model, requests_per_minute, reason, set_by) VALUES ($1, $2, 1, 'test', $1)`,
    [owner.accountId, ANSWERING],
  );
  const answer = async () => {
    const response = await ask(replica.url);
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  const refused = await waitFor(async () => {
    const one = await answer();
    return one.status === 429 && one;
  });
  expect(JSON.parse(refused.body)).toMatchObject({
    code: 'rate_limit_exceeded',
    limit: 'account_requests_per_minute',
  });
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  await site.pool.query('DELETE FROM limits.overrides WHERE account_id = $1', [owner.accountId]);
  const answered = await waitFor(async () => {
    const one = await answer();
    return one.status === 200 && one;
  });
  expect(readEvents(answered.body)).toMatchObject({ error: undefined });
  await replica.close();
});

it('refuses questions during the shutdown while a running answer ends', async () => {
  const replica = await site.startReplica({
    CHAT_MODEL: MODEL,
    SHUTDOWN_GRACE_SECONDS: '300',
    MODEL_SILENCE_TIMEOUT_SECONDS: '300',
  });
  let goOn: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  model.says(async (answer) => {
    answer.delta({ content: 'Five days [1]' });
    await held;
    answer.finish('stop');
  });
  const answer = await ask(replica.url);
  model.says((another) => another.finish('stop'));
  const closing = replica.close();
  const refused = await waitFor(async () => {
    const response = await ask(replica.url);
    const body = await response.text();
    return response.status === 503 && { body, headers: response.headers };
  });
  expect(JSON.parse(refused.body)).toEqual({ error: 'the service is stopping', code: 'interrupted' });
  expect(refused.headers.get('retry-after')).toBe('1');
  goOn();
  expect(readEvents(await answer.text())).toMatchObject({ text: 'Five days [1]', error: undefined });
  await closing;
});
