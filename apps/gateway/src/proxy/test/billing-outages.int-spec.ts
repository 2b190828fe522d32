import OpenAI from 'openai';
import { insertAccount, type TestAccount, waitFor } from '@inference/testing';
import {
  type DatabaseProxy,
  eventsOf,
  type Gateway,
  PLENTY,
  RATES,
  type ScriptedUpstream,
  startDatabaseProxy,
  startGateway,
  startUpstream,
  testEnvironment,
  TestSite,
  walletOf,
} from '../../testing/gateway.fixture';
import { SettlementBatcher } from '../../settlement/settlement-batcher';
import { ServingDirectory } from '../../upstreams/directory.service';

/** A database that goes away while a model answers: what the client learns, and what is charged. */

/** The answer comes late enough for the test to cut the database off before. */
const SLOW = 'sandbox-chat+first-delay=1500';
const MESSAGES = [{ role: 'user' as const, content: 'Hello' }];
/** Of servers that speak nothing else. */
const MAKERS = { chat: 'chat-model', responses: 'responses-model', messages: 'messages-model' };

const RESPONSE = { id: 'resp_1', object: 'response', created_at: 1, model: 'x', output: [] };
const chunk = (choice: object, usage = {}) => ({ id: 'c', choices: [{ index: 0, ...choice }], ...usage });
/** What these servers answer, by path. */
const STREAMS: Record<string, { type?: string; [name: string]: unknown }[]> = {
  '/v1/completions': [chunk({ text: 'Hi', finish_reason: 'stop' })],
  '/v1/chat/completions': [
    chunk({ delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }),
    chunk({ delta: {}, finish_reason: 'stop' }, { usage: { prompt_tokens: 3, completion_tokens: 2 } }),
  ],
  '/v1/responses': [
    { type: 'response.created', sequence_number: 0, response: { ...RESPONSE, status: 'in_progress' } },
    { type: 'response.output_text.delta', sequence_number: 1, output_index: 0, delta: 'Hi' },
    {
      type: 'response.completed',
      sequence_number: 2,
      response: { ...RESPONSE, status: 'completed', usage: { input_tokens: 3, output_tokens: 2 } },
    },
  ],
  '/v1/messages': [
    { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 3, output_tokens: 2 },
    },
    { type: 'message_stop' },
  ],
};

let site: TestSite;
let maker: ScriptedUpstream;
/** The answers of these servers, which wait for the test. */
let makersAnswers: (() => void)[] = [];
let databaseProxy: DatabaseProxy;
let gateway: Gateway;
let account: TestAccount;

beforeAll(async () => {
  maker = await startUpstream((request, response) =>
    makersAnswers.push(() => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      for (const data of STREAMS[request.url!]!)
        response.write(`${data.type ? `event: ${data.type}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
      response.end(request.url!.includes('completions') ? 'data: [DONE]\n\n' : '');
    }),
  );
  const models = [SLOW, 'sandbox-chat', ...Object.values(MAKERS)];
  site = await TestSite.start(Object.fromEntries(models.map((model) => [model, RATES])));
  databaseProxy = await startDatabaseProxy(site.database.urlFor('gateway'));
  const upstreams = [
    { name: 'engine', base_url: `${site.engine.url}/v1`, models: [SLOW, 'sandbox-chat'] },
    ...Object.entries(MAKERS).map(([protocol, model]) => {
      return { name: protocol, base_url: maker.url, protocols: [protocol], models: [model] };
    }),
  ];
  gateway = await startGateway({
    ...testEnvironment(databaseProxy.url, upstreams),
    SETTLEMENT_PATIENCE_SECONDS: '0.5',
  });
  const list = await site.publishCostPrices('engine', [[SLOW, 'per_request', 7]]);
  const { upstreams: known } = gateway.app.get(ServingDirectory);
  const engine = known.find(({ name }) => name === 'engine')!;
  await waitFor(() => engine.costPricesOf(SLOW)?.listId === list);
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
  await maker?.close();
});

/** The same call in each protocol. */
const BODIES = {
  '/v1/completions': { max_tokens: 4, prompt: 'Hello' },
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

/** The only charge of the account is that of its first call; the others were refused under these ids. */
async function expectRefused(...requestIds: string[]): Promise<void> {
  await waitFor(async () => (await refusedRequests()).length >= requestIds.length);
  expect((await refusedRequests()).sort()).toEqual(requestIds.sort());
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

/** The last event of a stream that is not billed: its name and its data. */
const lastEvent = (code: string): Record<Path, [name: string | undefined, data: object]> => ({
  '/v1/completions': [undefined, { error: { type: 'server_error', code } }],
  '/v1/chat/completions': [undefined, { error: { type: 'server_error', code } }],
  '/v1/responses': ['response.failed', { response: { status: 'failed', usage: null, error: { code } } }],
  '/v1/messages': ['error', { type: 'error', error: { type: 'api_error', code } }],
});

function expectLast(path: Path, text: string, code: string): void {
  expect(text).not.toMatch(/\[DONE\]|response\.completed|message_stop/);
  const last = text.trimEnd().split('\n\n').at(-1)!;
  const [, name, data] = /^(?:event: (.+)\n)?data: (.+)$/.exec(last)!;
  expect([name, JSON.parse(data!)]).toMatchObject(lastEvent(code)[path]);
  const numbers = [...text.matchAll(/"sequence_number":(\d+)/g)].map(([, number]) => Number(number));
  expect(numbers).toEqual(numbers.map((_, i) => i));
}

/** Settles the next calls in one batch: others would wait for that of the first one until they are free. */
function settleTogether(calls: number): void {
  const batcher = gateway.app.get(SettlementBatcher);
  const settle = batcher.settle.bind(batcher);
  let go: () => void;
  const all = new Promise<void>((resolve) => (go = resolve));
  const spy = jest.spyOn(batcher, 'settle').mockImplementation(async (...call) => {
    if (spy.mock.calls.length === calls) {
      spy.mockRestore();
      go();
    }
    await all;
    return settle(...call);
  });
}

it('is `billing_unknown` in the last event of a stream, in each protocol and from servers of each', async () => {
  const calls = Object.values(MAKERS).flatMap((model) =>
    PATHS.filter((path) => model === MAKERS.chat || path !== '/v1/completions').map((path) => ({
      path,
      model,
    })),
  );
  makersAnswers = [];
  const streams = calls.map(async ({ path, model }) => {
    const response = await ask(path, model, true);
    return { path, id: response.headers.get('x-inference-request-id')!, text: await response.text() };
  });
  await waitFor(() => makersAnswers.length === calls.length);
  databaseProxy.down();
  settleTogether(calls.length);
  for (const answer of makersAnswers) answer();
  const answers = await Promise.all(streams).finally(() => databaseProxy.up());
  for (const { path, id, text } of answers) {
    expectLast(path, text, 'billing_unknown');
    // By it the console tells whether the call was charged.
    expect(text).toContain(`The console shows the result for ${id}.`);
  }
  await expectRefused(...answers.map(({ id }) => id));
});

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
    expectLast(path, stream.text, 'billing_unavailable');
  }
  // Whose patience has ended before it was sent to the database is refused without a trace there.
  const ids = answers.flatMap(([, ...both]) =>
    both.map(({ response }) => response.headers.get('x-inference-request-id')),
  );
  const refused = await waitFor(async () => (await refusedRequests()).length > 0 && refusedRequests());
  expect(ids).toEqual(expect.arrayContaining(refused));
  await expectFirstCharged();
  // What the upstream takes is kept once for each, and for none of the calls before that may have been charged.
  const uncharged = await waitFor(async () => {
    const { rows } = await site.pool.query<{ id: string; cost: bigint }>(
      'SELECT request_id AS id, cost_picos::bigint AS cost FROM metering.uncharged_costs',
    );
    return rows.length >= ids.length && rows;
  });
  expect(uncharged.map(({ id }) => id).sort()).toEqual(ids.sort());
  expect(new Set(uncharged.map(({ cost }) => cost))).toEqual(new Set([7n]));
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
