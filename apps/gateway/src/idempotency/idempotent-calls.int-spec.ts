import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { picosToDecimal } from '@inference/money';
import { insertApiKey, type TestAccount, waitFor } from '@inference/testing';
import { type UnitRate } from '@inference/metering';
import OpenAI, { toFile } from 'openai';
import { answer } from '../protocols/scripted-chat.fixture';
import {
  costOf,
  eventsOf,
  type Gateway,
  RATES,
  type ScriptedUpstream,
  startGateway,
  startUpstream,
  testEnvironment,
  TestSite,
} from '../testing/gateway.fixture';
import { wav } from '../tasks/tasks.fixture';
import { CallRelay } from './call-relay';
import { IdempotentCalls } from './idempotent-calls.service';

/** Calls with an `Idempotency-Key`. */

const TASKS: Record<string, UnitRate[]> = {
  image: [{ unit: 'per_image', ratePicos: 5_000n }],
  whisper: [{ unit: 'per_audio_minute', ratePicos: 600n }],
  tts: [{ unit: 'per_million_characters', ratePicos: 15n }],
  rerank: [{ unit: 'per_search', ratePicos: 2_000n }],
  moderation: [{ unit: 'per_request', ratePicos: 7n }],
};
const COST = costOf(RATES, 21, 5);
const CHAT = '/v1/chat/completions';
const BODY = { model: 'm', messages: [{ role: 'user', content: 'x' }] };

let upstream: ScriptedUpstream;
let site: TestSite;
let second: Gateway;
let account: TestAccount;
/** The calls of which the first gateway was asked. */
let asked: string[] = [];
/** Calls that the upstream has not answered yet. */
let waiting: ServerResponse[] = [];

beforeAll(async () => {
  upstream = await startUpstream((_request, response) => void waiting.push(response));
  const upstreams = () => [{ name: 'u', base_url: upstream.url }];
  site = await TestSite.start({ m: RATES, ...TASKS }, {}, upstreams);
  second = await startGateway(testEnvironment(site.database.urlFor('gateway'), upstreams()));
  const relay = site.gateway.app.get(CallRelay);
  const find = relay['findAnswer'];
  relay.answerFrom((requestId) => {
    asked.push(requestId);
    return find(requestId);
  });
});
afterAll(async () => {
  // Calls of failed tests would keep their gateway running.
  await upstream.close();
  await second.close();
  await site.stop();
});
afterEach(() => jest.restoreAllMocks());
beforeEach(async () => {
  account = await site.account();
  waiting = [];
  asked = [];
  upstream.bodies.splice(0);
});

const give = (status: number, body: object) => async () => {
  const response = await waitFor(() => Promise.resolve(waiting.shift()));
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
};
const answerOne = give(200, answer({ content: 'Hello' }));

interface Sent {
  key?: string;
  body?: object;
  path?: string;
  gateway?: Gateway;
  apiKey?: string;
  signal?: AbortSignal;
}

async function send({
  key = 'k',
  body = BODY,
  path = CHAT,
  gateway = site.gateway,
  apiKey = account.apiKey,
  signal,
}: Sent = {}) {
  const response = await fetch(gateway.url + path, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${apiKey}`,
      'Idempotency-Key': key,
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  const text = await response.text();
  const { error } = JSON.parse(text) as { error?: Record<string, string> };
  return { status: response.status, text, error, header: (name: string) => response.headers.get(name) };
}

const isSent = () => waitFor(() => Promise.resolve(waiting.length > 0));

it('are made once: a retry waits for the call that runs, and later gets its answer', async () => {
  const both = [send(), send()];
  await isSent();
  both.push(send());
  await answerOne();
  const [first, ...others] = await Promise.all(both);
  const later = await send();
  for (const { status, text, header } of [...others, later]) {
    expect([status, text]).toEqual([200, first!.text]);
    expect(header('x-inference-request-id')).toBe(first!.header('x-inference-request-id'));
  }
  const repeated = [first, ...others, later].filter((each) => each!.header('idempotent-replayed') === 'true');
  expect(repeated).toHaveLength(3);
  expect(later.header('x-request-id')).toBe(first!.header('x-inference-request-id'));
  expect(upstream.bodies).toHaveLength(1);
  await site.expectCharged(account, COST);
});

it('run on when the client leaves, and its retry gets the answer', async () => {
  const client = new AbortController();
  const left = send({ signal: client.signal });
  await isSent();
  client.abort();
  await expect(left).rejects.toThrow();
  const retry = send();
  await answerOne();
  expect(await retry).toMatchObject({ status: 200 });
  expect(upstream.bodies).toHaveLength(1);
  expect(await eventsOf(site.pool, account.accountId)).toMatchObject([{ outcome: 'completed' }]);
  await site.expectCharged(account, COST);
});

it('without a key end when the client leaves, which pays for its prompt', async () => {
  const client = new AbortController();
  const left = site.post(CHAT, account.apiKey, BODY, { signal: client.signal });
  await isSent();
  client.abort();
  await expect(left).rejects.toThrow();
  await waitFor(() => Promise.resolve(waiting[0]!.destroyed));
  expect(await site.onlyEvent(account)).toMatchObject({ outcome: 'disconnected', output_tokens: 0n });
});

it('are others for another body, key of the account, or path', async () => {
  const first = send();
  await answerOne();
  await first;
  const reused = await send({ body: { ...BODY, max_tokens: 5 } });
  expect([reused.status, reused.error!.code, reused.error!.param, reused.header('x-should-retry')]).toEqual([
    409,
    'idempotency_key_reused',
    'Idempotency-Key',
    'false',
  ]);
  const elsewhere = await send({ body: { ...BODY, max_tokens: 5 }, gateway: second });
  expect([elsewhere.status, elsewhere.error!.code]).toEqual([409, 'idempotency_key_reused']);
  const { apiKey } = await insertApiKey(site.pool, account.accountId, {});
  const others = [
    send({ apiKey }),
    send({ path: '/v1/responses', body: { model: 'm', input: 'x' } }),
    send({ apiKey: (await site.account()).apiKey }),
  ];
  for (let i = 0; i < others.length; i++) await answerOne();
  expect((await Promise.all(others)).map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(upstream.bodies).toHaveLength(4);
});

it('reach the process that runs them through another one, and are made and charged once', async () => {
  const first = send();
  await isSent();
  const gateways = [site.gateway, second];
  const retries = Array.from({ length: 200 }, (_, index) => send({ gateway: gateways[index % 2]! }));
  const relayed = send({ gateway: second });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await answerOne();
  const { text, header } = await first;
  retries.push(relayed, send({ gateway: second }));
  for (const retry of await Promise.all(retries)) {
    expect([retry.status, retry.text, retry.header('idempotent-replayed')]).toEqual([200, text, 'true']);
    for (const name of ['x-request-id', 'x-inference-request-id', 'content-type'])
      expect(retry.header(name)).toBe(header(name));
  }
  expect(upstream.bodies).toHaveLength(1);
  await site.expectCharged(account, COST);
});

it('share what they have failed with, and are made anew after that', async () => {
  const calls = [send(), isSent().then(() => send({ gateway: second }))];
  await isSent();
  await waitFor(() => Promise.resolve(asked.length === 1));
  await give(422, { error: { message: 'no', type: 'invalid_request_error', param: null, code: null } })();
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([422, 422]);
  const failing = [send(), isSent().then(() => send({ gateway: second }))];
  await waitFor(() => Promise.resolve(asked.length === 2));
  await give(500, {})();
  const failed = await Promise.all(failing);
  expect(failed.map(({ status, error }) => [status, error!.code])).toEqual(
    Array.from({ length: 2 }, () => [502, 'upstream_error']),
  );
  const again = send({ gateway: second });
  await answerOne();
  expect((await again).header('idempotent-replayed')).toBeNull();
  expect(upstream.bodies).toHaveLength(3);
  await site.expectCharged(account, COST);
});

const changeClaim = (change: string, ...values: unknown[]) =>
  site.pool.query(`UPDATE metering.idempotent_calls SET ${change} WHERE account_id = $1`, [
    account.accountId,
    ...values,
  ]);
/** As if the process of the call could not renew its claim any more. */
const loseClaim = () => {
  const calls = site.gateway.app.get(IdempotentCalls) as unknown as { maintain(): Promise<void> };
  jest.spyOn(calls, 'maintain').mockResolvedValue();
  return changeClaim("held_until = clock_timestamp() - interval '1 second'");
};

describe('whose process cannot be asked', () => {
  let stranger: Server;
  /** What the stranger does with a request. */
  let behaviour: (request: IncomingMessage, response: ServerResponse) => void;
  let address: string;

  beforeAll(async () => {
    stranger = createServer((request, response) => behaviour(request, response)).listen(0, '127.0.0.1');
    await once(stranger, 'listening');
    address = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
  });
  afterAll(() => stranger.close());

  const answerOf = (body: string) =>
    JSON.stringify({ answer: { status: 200 }, bytes: body.length }) + `\n${body}`;

  it.each<[string, () => string | null]>([
    ['has no relay', () => null],
    ['has closed its port', () => 'http://127.0.0.1:9/0123'],
    ['has ended, and another process is at its address', () => second.app.get(CallRelay).address],
    [
      'has another secret',
      () => ((behaviour = (_, response) => response.writeHead(401).end()), `${address}/0123`),
    ],
    [
      'is a stranger who gives an answer of his own',
      () => ((behaviour = (_, response) => response.end(answerOf('forged'))), `${address}/0123`),
    ],
    [
      'signs as the one who asks did',
      () => (
        (behaviour = ({ headers }, response) => {
          response.setHeader('x-relay-signature', headers['x-relay-signature']!);
          response.end(answerOf('forged'));
        }),
        `${address}/0123`
      ),
    ],
    [
      'breaks off',
      () => (
        (behaviour = (_, response) => response.writeHead(200).write('\n', () => response.destroy())),
        `${address}/0123`
      ),
    ],
  ])('are not made again if it %s', async (_what, owner) => {
    const first = send();
    await isSent();
    await changeClaim('owner = $2', owner());
    const running = await send({ gateway: second });
    expect([running.status, running.error!.code, running.header('retry-after')]).toEqual([
      409,
      'idempotency_key_in_use',
      '1',
    ]);
    await answerOne();
    const id = (await first).header('x-inference-request-id')!;
    const charged = await send({ gateway: second });
    expect([charged.status, charged.header('x-should-retry')]).toEqual([409, 'false']);
    expect(charged.error).toMatchObject({
      code: 'already_charged',
      request_id: id,
      cost: picosToDecimal(COST),
    });
    expect(upstream.bodies).toHaveLength(1);
    await site.expectCharged(account, COST);
  });
});

it('are told to nobody who does not know the secret of the gateways', async () => {
  const first = send();
  await isSent();
  const { rows } = await site.pool.query<{ url: string }>(
    "SELECT owner || '/' || request_id AS url FROM metering.idempotent_calls WHERE account_id = $1",
    [account.accountId],
  );
  const { url } = rows[0]!;
  const forged: Record<string, string> = { 'x-relay-nonce': 'n', 'x-relay-signature': '0'.repeat(64) };
  for (const headers of [{}, forged]) {
    const refused = await fetch(url, { headers });
    expect([refused.status, await refused.text()]).toEqual([401, '']);
  }
  await answerOne();
  await first;
});

it.each([
  ['chats', {}, answer({ content: 'once' }), COST],
  [
    'tasks',
    { path: '/v1/moderations', body: { model: 'moderation', input: 'x' } },
    { id: 'm', model: 'moderation', results: [] },
    7n,
  ],
])(
  'of %s are not charged by a process that stood still while another one made them',
  async (_, call, served, cost) => {
    await site.publishCostPrices('u', [
      ['m', 'per_request', 3],
      ['moderation', 'per_request', 3],
    ]);
    const slow = send(call);
    await isSent();
    await loseClaim();
    const [late] = waiting.splice(0);
    const again = send({ ...call, gateway: second });
    await give(200, served)();
    expect(await again).toMatchObject({ status: 200 });
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
    late!.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(served));
    const { status, error } = await slow.finally(() => clock.mockRestore());
    expect([status, error!.code]).toEqual([409, 'idempotency_key_in_use']);
    await site.expectCharged(account, cost);
    // The upstream takes its price for both.
    expect(await site.unchargedCosts(account)).toEqual([3n]);
  },
);

it('are made anew if their process has died before they were charged', async () => {
  const lost = send().catch(() => undefined);
  await isSent();
  await loseClaim();
  const [abandoned] = waiting.splice(0);
  const again = send({ gateway: second });
  await answerOne();
  expect(await again).toMatchObject({ status: 200 });
  abandoned!.destroy();
  await lost;
  await site.expectCharged(account, COST);
  // The end of the first call leaves the key to the second one.
  expect((await send({ gateway: second })).header('idempotent-replayed')).toBe('true');
});

it.each([
  [
    'a refusal of the model',
    give(422, { error: { message: 'no', type: 'invalid_request_error', param: null, code: null } }),
    422,
  ],
  ['a failure of the model', give(500, {}), 502],
])('are made anew after %s, which is free', async (_what, fail, status) => {
  const made = jest.spyOn(site.gateway.app.get(IdempotentCalls), 'once');
  const first = send();
  const joined = isSent().then(() => send());
  await waitFor(() => made.mock.calls.length === 2);
  await fail();
  // Whoever came while it ran has the same answer.
  expect([(await first).status, (await joined).status]).toEqual([status, status]);
  const again = send({ gateway: second });
  await answerOne();
  expect((await again).status).toBe(200);
  await site.expectCharged(account, COST);
});

it('are refused without money, and made when there is some', async () => {
  const poor = await site.account(0n);
  expect(await send({ apiKey: poor.apiKey })).toMatchObject({ status: 402 });
  const { rows } = await site.pool.query('SELECT FROM metering.idempotent_calls WHERE account_id = $1', [
    poor.accountId,
  ]);
  expect(rows).toHaveLength(0);
});

it.each([
  ['an empty key', ''],
  ['one of more than 255 characters', 'x'.repeat(256)],
  ['one with a tab', 'a\tb'],
  ['one with a letter beyond ASCII', 'é'],
])('refuses %s', async (_what, key) => {
  const { status, error } = await send({ key });
  expect([status, error!.code, error!.param]).toEqual([400, 'invalid_header', 'Idempotency-Key']);
  expect(upstream.bodies).toHaveLength(0);
});

it('make no difference to a stream', async () => {
  for (let i = 0; i < 2; i++) {
    const stream = site.post(
      CHAT,
      account.apiKey,
      { ...BODY, stream: true },
      { headers: { 'Idempotency-Key': 's' } },
    );
    await answerOne();
    expect((await stream).status).toBe(200);
  }
  expect(upstream.bodies).toHaveLength(2);
});

class RepeatingClient extends OpenAI {
  protected override idempotencyHeader = 'Idempotency-Key';
}

it.each([
  ['a header of the call', OpenAI, { headers: { 'Idempotency-Key': 'order-1' } }],
  ['a field of its client', RepeatingClient, {}],
])('are switched on in the SDK of OpenAI by %s', async (_what, Client, options) => {
  const client = new Client({
    apiKey: account.apiKey,
    baseURL: `${site.gateway.url}/v1`,
    maxRetries: 2,
    timeout: 300,
  });
  const params = { model: 'm', messages: [{ role: 'user' as const, content: 'x' }] };
  const asked = client.chat.completions.create(params, options);
  // The client gives up after 300 ms, and asks again.
  setTimeout(() => void answerOne(), 700);
  expect((await asked).choices[0]!.message.content).toBe('Hello');
  expect(upstream.bodies).toHaveLength(1);
  await site.expectCharged(account, COST);
});

const audio = () => toFile(wav(60), 'a.wav', { type: 'audio/wav' });

it.each<
  [string, bigint, string | object, (openai: OpenAI, options: OpenAI.RequestOptions) => Promise<unknown>]
>([
  [
    'embeddings',
    costOf(RATES, 1, 0),
    { object: 'list', data: [] },
    (openai, options) => openai.embeddings.create({ model: 'm', input: 'x' }, options),
  ],
  [
    'images',
    5_000n,
    { created: 1, data: [{ b64_json: 'AA==' }] },
    (openai, options) => openai.images.generate({ model: 'image', prompt: 'x' }, options),
  ],
  [
    'transcriptions, whose form has another boundary each time',
    600n,
    { text: 'x', duration: 60 },
    async (openai, options) =>
      openai.audio.transcriptions.create({ model: 'whisper', file: await audio() }, options),
  ],
  [
    'speech',
    60n,
    'AUDIO',
    async (openai, options) =>
      (await openai.audio.speech.create({ model: 'tts', voice: 'v', input: 'Four' }, options)).text(),
  ],
  [
    'rerank',
    2_000n,
    { results: [{ index: 0, relevance_score: 1 }] },
    (openai, options) =>
      openai.post('/rerank', { ...options, body: { model: 'rerank', query: 'a', documents: ['b'] } }),
  ],
  [
    'moderations',
    7n,
    { id: 'x', model: 'm', results: [{ flagged: false }] },
    (openai, options) => openai.moderations.create({ model: 'moderation', input: 'x' }, options),
  ],
])('are made once at the endpoint of %s', async (_what, cost, body, call) => {
  const options = { headers: { 'Idempotency-Key': 'k' }, maxRetries: 0 };
  const [own, other] = [site.gateway, second].map(
    ({ url }) => new OpenAI({ baseURL: `${url}/v1`, apiKey: account.apiKey }),
  );
  const client = new AbortController();
  const left = call(own!, { ...options, signal: client.signal });
  await isSent();
  client.abort();
  await expect(left).rejects.toThrow('aborted');
  const joined = [call(own!, options), call(other!, options)];
  const response = await waitFor(() => Promise.resolve(waiting.shift()));
  const isText = typeof body === 'string';
  response.writeHead(200, { 'Content-Type': isText ? 'audio/mpeg' : 'application/json' });
  response.end(isText ? body : JSON.stringify(body));
  const answers = await Promise.all([...joined, call(own!, options), call(other!, options)]);
  expect(answers[0]).toEqual(isText ? body : expect.objectContaining(body));
  for (const each of answers) expect(each).toEqual(answers[0]);
  expect(upstream.bodies).toHaveLength(1);
  await site.expectCharged(account, cost);
});

it('of audio that breaks off are free, and made anew', async () => {
  const speak = () => send({ path: '/v1/audio/speech', body: { model: 'tts', voice: 'v', input: 'Four' } });
  const broken = speak();
  const response = await waitFor(() => Promise.resolve(waiting.shift()));
  response.writeHead(200, { 'Content-Type': 'audio/mpeg' }).write('AU', () => response.destroy());
  expect(await broken).toMatchObject({ status: 502 });
  const again = site.post(
    '/v1/audio/speech',
    account.apiKey,
    { model: 'tts', voice: 'v', input: 'Four' },
    { headers: { 'Idempotency-Key': 'k' } },
  );
  const whole = await waitFor(() => Promise.resolve(waiting.shift()));
  whole.writeHead(200, { 'Content-Type': 'audio/mpeg' }).end('AUDIO');
  const answered = await again;
  expect([answered.status, await answered.text(), answered.headers.get('x-cost')]).toEqual([
    200,
    'AUDIO',
    picosToDecimal(60n),
  ]);
  await site.expectCharged(account, 60n);
});

it('are others for another form', async () => {
  const openai = new OpenAI({ baseURL: `${site.gateway.url}/v1`, apiKey: account.apiKey, maxRetries: 0 });
  const transcribe = async (language: string) =>
    openai.audio.transcriptions.create(
      { model: 'whisper', file: await audio(), language },
      { headers: { 'Idempotency-Key': 'k' } },
    );
  const first = transcribe('en');
  await give(200, { text: 'x' })();
  await first;
  await expect(transcribe('de')).rejects.toMatchObject({ status: 409, code: 'idempotency_key_reused' });
});
