import OpenAI from 'openai';
import { insertAccount, type TestAccount, waitFor } from '@inference/testing';
import {
  type DatabaseProxy,
  eventsOf,
  type Gateway,
  PLENTY,
  RATES,
  startDatabaseProxy,
  startGateway,
  testEnvironment,
  TestSite,
  walletOf,
} from '../../testing/gateway.fixture';

/** A database that goes away while a model answers: what the client learns, and what is charged. */

/** The answer comes late enough for the test to cut the database off before. */
const SLOW = 'sandbox-chat+first-delay=1500';
const MESSAGES = [{ role: 'user' as const, content: 'Hello' }];

let site: TestSite;
let databaseProxy: DatabaseProxy;
let gateway: Gateway;
let account: TestAccount;

beforeAll(async () => {
  site = await TestSite.start({ [SLOW]: RATES, 'sandbox-chat': RATES });
  databaseProxy = await startDatabaseProxy(site.database.urlFor('gateway'));
  const upstreams = [{ name: 'engine', base_url: `${site.engine.url}/v1` }];
  gateway = await startGateway({
    ...testEnvironment(databaseProxy.url, upstreams),
    SETTLEMENT_PATIENCE_SECONDS: '0.5',
  });
});

beforeEach(async () => {
  account = await site.account();
  // A gateway that was cut off serves again when it hears of suspensions again.
  await waitFor(async () => (await chat('sandbox-chat', false)).ok);
});

afterAll(async () => {
  await gateway?.close();
  await databaseProxy?.close();
  await site?.stop();
});

/** The same call in each protocol. */
const BODIES = {
  '/v1/chat/completions': { max_tokens: 4, messages: MESSAGES },
  '/v1/responses': { max_output_tokens: 16, input: 'Hello' },
  '/v1/messages': { max_tokens: 4, messages: MESSAGES },
};
type Path = keyof typeof BODIES;
const PATHS = Object.keys(BODIES) as Path[];
const ask = (path: Path, model: string, stream: boolean) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${account.apiKey}` },
    body: JSON.stringify({ model, stream, ...BODIES[path] }),
  });
const chat = (model: string, stream: boolean) => ask('/v1/chat/completions', model, stream);

/** Cuts the database off when the engine has the next request. */
async function cutOffDuring<T>(call: () => Promise<T>): Promise<T> {
  const before = site.engine.served().requests;
  const answer = call();
  await waitFor(() => site.engine.served().requests > before);
  databaseProxy.down();
  return answer;
}

const refusedRequests = async () => {
  const { rows } = await site.pool.query<{ request_id: string }>(
    'SELECT request_id FROM metering.refused_requests WHERE account_id = $1',
    [account.accountId],
  );
  return rows.map(({ request_id }) => request_id);
};

/** The only charge of the account is that of its first call; the other one was refused under this id. */
async function expectRefused(requestId: string): Promise<void> {
  await waitFor(async () => (await refusedRequests()).length > 0);
  expect(await refusedRequests()).toEqual([requestId]);
  await expectFirstCharged();
}

async function expectFirstCharged(): Promise<void> {
  const [first, ...others] = await eventsOf(site.pool, account.accountId);
  expect(others).toEqual([]);
  expect((await walletOf(site.pool, account.accountId)).balance).toBe(PLENTY - first!.cost_picos);
}

it('is `billing_unknown` for a plain call, which no SDK repeats by itself', async () => {
  const openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: account.apiKey, maxRetries: 3 });
  const before = site.engine.served().requests;
  const failure = await cutOffDuring(() =>
    openai.chat.completions.create({ model: SLOW, max_tokens: 4, messages: MESSAGES }).then(
      () => null,
      (error: unknown) => error as InstanceType<typeof OpenAI.APIError>,
    ),
  ).finally(() => databaseProxy.up());
  expect(failure).toMatchObject({ status: 503, code: 'billing_unknown' });
  expect(failure!.headers!.get('x-should-retry')).toBe('false');
  expect(site.engine.served().requests).toBe(before + 1);
  const requestId = failure!.headers!.get('x-inference-request-id')!;
  expect(failure!.message).toContain(requestId);
  await expectRefused(requestId);
});

it('is `billing_unknown` in the last event of a stream, which has no [DONE]', async () => {
  const { id, text } = await cutOffDuring(async () => {
    const response = await chat(SLOW, true);
    return { id: response.headers.get('x-inference-request-id')!, text: await response.text() };
  }).finally(() => databaseProxy.up());
  expect(text).not.toContain('[DONE]');
  const last = text.trimEnd().split('\n\n').at(-1)!;
  expect(JSON.parse(last.slice('data: '.length))).toMatchObject({ error: { code: 'billing_unknown' } });
  await expectRefused(id);
});

/** The last event of a stream that is not billed: its name and its data. */
const LAST: Record<Path, [name: string | undefined, data: object]> = {
  '/v1/chat/completions': [undefined, { error: { code: 'billing_unavailable' } }],
  '/v1/responses': [
    'response.failed',
    { response: { status: 'failed', usage: null, error: { code: 'billing_unavailable' } } },
  ],
  '/v1/messages': ['error', { type: 'error', error: { code: 'billing_unavailable' } }],
};

it('is `billing_unavailable` if only the settlement is stuck, and free, in each protocol', async () => {
  const client = await site.pool.connect();
  await client.query('BEGIN');
  await client.query('SELECT FROM wallet.leases WHERE account_id = $1 FOR UPDATE', [account.accountId]);
  const read = (path: Path, stream: boolean) =>
    ask(path, SLOW, stream).then(async (response) => ({ response, text: await response.text() }));
  const answers = await Promise.all(
    PATHS.map((path) => Promise.all([path, read(path, false), read(path, true)])),
  );
  await client.query('COMMIT');
  client.release();
  for (const [path, plain, stream] of answers) {
    expect(plain.response.status).toBe(503);
    expect(plain.response.headers.get('x-should-retry')).toBeNull();
    expect(JSON.parse(plain.text)).toMatchObject({ error: { code: 'billing_unavailable' } });
    expect(stream.text).not.toMatch(/\[DONE\]|response\.completed|message_stop/);
    const last = stream.text.trimEnd().split('\n\n').at(-1)!;
    const [, name, data] = /^(?:event: (.+)\n)?data: (.+)$/.exec(last)!;
    expect([name, JSON.parse(data!)]).toMatchObject(LAST[path]);
  }
  // Whose patience has ended before it was sent to the database is refused without a trace there.
  const ids = answers.flatMap(([, ...both]) =>
    both.map(({ response }) => response.headers.get('x-inference-request-id')),
  );
  const refused = await waitFor(async () => (await refusedRequests()).length > 0 && refusedRequests());
  expect(ids).toEqual(expect.arrayContaining(refused));
  await expectFirstCharged();
});

it('is `database_unavailable` before a call is admitted', async () => {
  const stranger = await insertAccount(site.pool, { balancePicos: PLENTY });
  databaseProxy.down();
  for (const path of ['/v1/models', '/v1/chat/completions', '/v1/chat/completions/estimate']) {
    const response = await fetch(gateway.url + path, {
      method: path === '/v1/models' ? 'GET' : 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${stranger.apiKey}` },
      ...(path !== '/v1/models' && { body: JSON.stringify({ model: 'sandbox-chat', messages: MESSAGES }) }),
    });
    expect([response.status, await response.json()]).toEqual([
      503,
      { error: expect.objectContaining({ code: 'database_unavailable' }) as object },
    ]);
    expect(response.headers.get('retry-after')).toBe('1');
  }
  databaseProxy.up();
});
