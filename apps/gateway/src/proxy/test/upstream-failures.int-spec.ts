import { type ServerResponse } from 'node:http';
import { findFreePort, takeContractFaults, type TestAccount, waitFor } from '@inference/testing';
import { eventsIn } from '../../protocols/scripted-chat.fixture';
import {
  PLENTY,
  costOf,
  eventsOf,
  RATES,
  type ScriptedUpstream,
  startUpstream,
  TestSite,
  walletOf,
} from '../../testing/gateway.fixture';

/** Failing upstreams: failover, the response to the client, and the cost. */

const PROMPT = [{ role: 'user', content: 'Say something about the sea.' }];
const PROMPT_TOKENS = 9;
/** A pair of upstreams for each kind of failure: the first fails, the second answers. */
const FAILOVERS: Record<string, string> = {
  'over-429': 'sandbox-chat+status=429',
  'over-500': 'sandbox-chat+status=500',
  'over-503': 'sandbox-chat+status=503',
  'over-401': 'sandbox-chat+status=401',
  'over-403': 'sandbox-chat+status=403',
  'over-404': 'no-such-model',
  'over-fail-before': 'sandbox-chat+fail-before',
  'over-hang': 'sandbox-chat+hang',
};
const ALONE = [
  'sandbox-chat',
  'sandbox-chat+status=400',
  'sandbox-chat+status=422',
  'sandbox-chat+status=429+retry-after=7',
  'sandbox-chat+status=401',
  'sandbox-chat+status=403',
  'sandbox-chat+status=500',
  'sandbox-chat+fail-before',
  'sandbox-chat+malformed',
  'sandbox-chat+fail-mid=0',
  'sandbox-chat+error-mid=0',
  'sandbox-chat+fail-mid=4',
  'sandbox-chat+error-mid=4',
  'sandbox-chat+end-mid=4',
  'sandbox-chat+hang-mid=4',
  'sandbox-chat+hang',
  'sandbox-chat+malformed=2',
];

/** What a server does with calls of the model of that name, and what clients see of it. */
const FAULTS: Record<string, (response: ServerResponse) => void> = {
  hangs: () => undefined,
  'says-500': (response) => response.writeHead(500).end('{}'),
  'says-429': (response) =>
    response
      .writeHead(429, { 'Retry-After': '60', 'Content-Type': 'application/json' })
      .end('{"error":{"message":"Slow down.","type":"rate_limit_error","param":null,"code":"too_fast"}}'),
  // The operator's account there is empty, which is no matter of the client.
  'says-402': (response) =>
    response
      .writeHead(402, { 'Content-Type': 'application/json' })
      .end(
        '{"error":{"message":"Insufficient Balance","type":"x","param":null,"code":"insufficient_balance"}}',
      ),
  'sends-garbage': (response) => response.setHeader('Content-Type', 'application/json').end('<html>'),
  'breaks-off': (response) => {
    response.setHeader('Content-Type', 'text/event-stream');
    response.write('data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n', () =>
      response.destroy(),
    );
  },
};
const ALONE_AT_FAULT = '-alone';
/** An answer that nobody can read, and that goes on. */
let unread: ServerResponse | undefined;
FAULTS['sends-no-gzip'] = (response) => {
  unread = response;
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).write('{');
  const goingOn = setInterval(() => response.write(' '), 100);
  response.on('close', () => clearInterval(goingOn));
};

let site: TestSite;
let account: TestAccount;
let refusedPort: number;
let faulty: ScriptedUpstream;
let sound: ScriptedUpstream;

beforeAll(async () => {
  refusedPort = await findFreePort();
  faulty = await startUpstream((_request, response, body) => {
    const { model } = JSON.parse(body) as { model: string };
    FAULTS[model.replace(ALONE_AT_FAULT, '')]!(response);
  });
  sound = await startUpstream((_request, response) => {
    const choice = { index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' };
    response.setHeader('Content-Type', 'application/json');
    response.end(
      JSON.stringify({
        choices: [choice],
        usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
      }),
    );
  });
  const faults = Object.keys(FAULTS);
  const alone = faults.map((fault) => `${fault}${ALONE_AT_FAULT}`);
  const slugs = [
    ...[...ALONE, ...Object.keys(FAILOVERS), 'over-refused', 'only-refused'],
    ...[...faults, ...alone],
  ];
  site = await TestSite.start(
    Object.fromEntries(slugs.map((slug) => [slug, RATES])),
    { UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS: '2', UPSTREAM_IDLE_TIMEOUT_SECONDS: '2' },
    (engine) => [
      ...ALONE.map((slug, i) => ({ name: `alone-${i}`, base_url: engine, models: [slug] })),
      ...Object.entries(FAILOVERS).flatMap(([slug, failing]) => [
        { name: `${slug}-a`, base_url: engine, models: { [slug]: failing } },
        { name: `${slug}-b`, base_url: engine, models: { [slug]: 'sandbox-chat' } },
      ]),
      {
        name: 'refused',
        base_url: `http://127.0.0.1:${refusedPort}/v1`,
        models: ['over-refused', 'only-refused'],
      },
      { name: 'over-refused-b', base_url: engine, models: { 'over-refused': 'sandbox-chat' } },
      { name: 'faulty', base_url: faulty.url, models: [...faults, ...alone] },
      { name: 'sound', base_url: sound.url, models: faults },
    ],
  );
});
beforeEach(async () => {
  account = await site.account();
});
afterAll(async () => {
  await site.stop();
  await faulty.close();
  await sound.close();
});

const chat = (model: string, more: object = {}, of = account) =>
  site.post('/v1/chat/completions', of.apiKey, { model, messages: PROMPT, max_tokens: 8, ...more });
const errorOf = async (response: Response) =>
  ((await response.json()) as { error: Record<string, unknown> }).error;

/** Asserts that nothing was billed and that the wallet has its full balance. */
async function expectFree(of: TestAccount, openingPicos = PLENTY): Promise<void> {
  expect(await eventsOf(site.pool, of.accountId)).toEqual([]);
  expect(await walletOf(site.pool, of.accountId)).toMatchObject({ balance: openingPicos, rolled_up: 0n });
}

interface StreamRead {
  text: string;
  events: string[];
  content: string;
  error: { code: string; message: string } | undefined;
}

async function readStream(response: Response): Promise<StreamRead> {
  expect(response.status).toBe(200);
  const text = await response.text();
  const events = text.split('\n\n').filter((event) => event !== '');
  const chunks = events.flatMap((event) => {
    try {
      return [JSON.parse(event.slice('data: '.length)) as Record<string, never>];
    } catch {
      return [];
    }
  });
  const content = chunks
    .map(
      (chunk) => (chunk.choices as { delta: { content?: string } }[] | undefined)?.[0]?.delta?.content ?? '',
    )
    .join('');
  return { text, events, content, error: chunks.find((chunk) => chunk.error)?.error };
}

describe('failover to another upstream', () => {
  it.each(Object.keys(FAILOVERS))('happens for %s, streamed or not', async (slug) => {
    const whole = await chat(slug);
    expect(whole.status).toBe(200);
    const streamed = await readStream(await chat(slug, { stream: true }));
    expect(streamed.events.at(-1)).toBe('data: [DONE]');
    expect(await eventsOf(site.pool, account.accountId)).toMatchObject([
      { model: slug, upstream: `${slug}-b`, outcome: 'completed' },
      { model: slug, upstream: `${slug}-b`, outcome: 'completed' },
    ]);
    await site.expectCharged(account, 2n * costOf(RATES, PROMPT_TOKENS, 8));
  });

  it('happens for a refused connection', async () => {
    expect((await chat('over-refused')).status).toBe(200);
    await site.expectCharged(account, costOf(RATES, PROMPT_TOKENS, 8));
  });

  it('happens for a response that is not JSON', async () => {
    const broken = await startUpstream((_request, response) => {
      response.setHeader('Content-Type', 'application/json');
      response.end('{"choices":[{"index":0,');
    });
    const other = await TestSite.start({ 'sandbox-chat': RATES }, {}, (engine) => [
      { name: 'broken', base_url: broken.url },
      { name: 'sound', base_url: engine },
    ]);
    const of = await other.account();
    const body = { model: 'sandbox-chat', messages: PROMPT, max_tokens: 8 };
    const calls = 6;
    for (let n = 0; n < calls; n++)
      expect((await other.post('/v1/chat/completions', of.apiKey, body)).status).toBe(200);
    // An upstream that fails gets no call any more.
    expect(broken.bodies.length).toBeLessThanOrEqual(3);
    await other.expectCharged(of, BigInt(calls) * costOf(RATES, PROMPT_TOKENS, 8));
    await other.stop();
    await broken.close();
  });
});

describe('how often a failing upstream is called, and what its client sees', () => {
  const callsOf = async (model: string, more: object = {}) => {
    faulty.bodies.length = sound.bodies.length = 0;
    const response = await chat(model, more);
    const text = await response.text();
    return {
      status: response.status,
      code: /"code":"(\w+)"/.exec(text)?.[1] ?? null,
      retryAfter: response.headers.get('retry-after'),
      calls: [faulty.bodies.length, sound.bodies.length],
    };
  };
  const ok = { status: 200, code: null, retryAfter: null };

  it.each<[string, object]>([
    ['hangs', { ...ok, calls: [1, 1] }],
    ['says-500', { ...ok, calls: [1, 1] }],
    // The money may be enough for the next one: it is never left alone.
    ...Array.from({ length: 5 }, () => ['says-402', { ...ok, calls: [1, 1] }] as [string, object]),
    ['says-429', { ...ok, calls: [1, 1] }],
    // The pause that it has asked for.
    ['says-429', { ...ok, calls: [0, 1] }],
    ['sends-garbage', { ...ok, calls: [1, 1] }],
  ])('%s: another one answers, %j', async (model, seen) => {
    expect(await callsOf(model)).toEqual(seen);
  });

  it('sends-no-gzip: another one answers, and what is left of the answer is not waited for', async () => {
    expect(await callsOf('sends-no-gzip')).toEqual({ ...ok, calls: [1, 1] });
    await waitFor(async () => unread!.destroyed);
  });

  it('breaks off: the stream that had begun ends with an error, and nobody is called again', async () => {
    const seen = { status: 200, code: 'upstream_error', retryAfter: null, calls: [1, 0] };
    expect(await callsOf('breaks-off', { stream: true })).toEqual(seen);
  });

  it.each<[string, object]>([
    ['hangs', { status: 504, code: 'upstream_timeout', retryAfter: null, calls: [1, 0] }],
    ['says-500', { status: 502, code: 'upstream_error', retryAfter: null, calls: [1, 0] }],
    ...Array.from(
      { length: 5 },
      () =>
        ['says-402', { status: 502, code: 'upstream_error', retryAfter: null, calls: [1, 0] }] as [
          string,
          object,
        ],
    ),
    ['says-429', { status: 429, code: 'too_fast', retryAfter: '60', calls: [1, 0] }],
    ['says-429', { status: 429, code: 'upstream_busy', retryAfter: '60', calls: [0, 0] }],
    ['sends-garbage', { status: 502, code: 'upstream_error', retryAfter: null, calls: [1, 0] }],
  ])('%s and is the only one: %j', async (model, seen) => {
    expect(await callsOf(`${model}${ALONE_AT_FAULT}`)).toEqual(seen);
  });
});

describe('an upstream that fails before the first token', () => {
  it.each([
    ['sandbox-chat+status=500', 502, 'upstream_error'],
    ['sandbox-chat+fail-before', 502, 'upstream_error'],
    ['sandbox-chat+malformed', 502, 'upstream_error'],
    ['sandbox-chat+status=401', 502, 'upstream_error'],
    ['sandbox-chat+status=403', 502, 'upstream_error'],
    ['only-refused', 502, 'upstream_error'],
    ['sandbox-chat+hang', 504, 'upstream_timeout'],
    ['sandbox-chat+hang-mid=4', 504, 'upstream_timeout'],
  ])('%s: gives %d and costs nothing', async (slug, status, code) => {
    const response = await chat(slug);
    expect(response.status).toBe(status);
    expect(await errorOf(response)).toEqual({
      message: expect.any(String),
      type: 'server_error',
      param: null,
      code,
    });
    await expectFree(account);
  });

  it.each([
    ['sandbox-chat+status=500', 502],
    ['sandbox-chat+fail-before', 502],
    ['sandbox-chat+hang', 504],
  ])('%s: gives %d for a stream too', async (slug, status) => {
    const response = await chat(slug, { stream: true });
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    await expectFree(account);
  });

  it.each(['sandbox-chat+fail-mid=0', 'sandbox-chat+error-mid=0'])(
    '%s: is reported in the stream',
    async (slug) => {
      const { text, error, content } = await readStream(await chat(slug, { stream: true }));
      expect(content).toBe('');
      expect(error).toMatchObject({ type: 'server_error' });
      expect(text).not.toContain('[DONE]');
      await expectFree(account);
    },
  );

  it('releases its hold for the next request', async () => {
    const body = { model: 'sandbox-chat+status=500', messages: PROMPT, max_tokens: 8 };
    const bound = costOf(RATES, Buffer.byteLength(JSON.stringify(body)), 8);
    const poor = await site.account(bound);
    for (let i = 0; i < 3; i++) {
      const response = await chat('sandbox-chat+status=500', {}, poor);
      expect(response.status).toBe(502);
    }
    expect((await chat('sandbox-chat', {}, poor)).status).toBe(200);
    await site.expectCharged(poor, costOf(RATES, PROMPT_TOKENS, 8), bound);
  });
});

describe('an upstream that refuses the request', () => {
  it.each([
    ['sandbox-chat+status=400', 400, null],
    ['sandbox-chat+status=422', 422, null],
    ['sandbox-chat+status=429+retry-after=7', 429, '7'],
  ])('%s: has its response forwarded', async (slug, status, retryAfter) => {
    for (const stream of [false, true]) {
      const response = await chat(slug, { stream });
      expect(response.status).toBe(status);
      if (stream && retryAfter !== null) {
        // The upstream has asked not to be called.
        expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(Number(retryAfter));
        expect(await errorOf(response)).toMatchObject({ code: 'upstream_busy', type: 'rate_limit_error' });
        continue;
      }
      expect(response.headers.get('retry-after')).toBe(retryAfter);
      const direct = await fetch(`${site.engine.url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: slug, messages: PROMPT }),
      });
      expect(await response.text()).toBe(await direct.text());
    }
    await expectFree(account);
  });

  it('forwards the response of an upstream that refuses a parameter', async () => {
    const response = await chat('sandbox-chat', { temperature: 99 });
    expect(response.status).toBe(400);
    expect(await errorOf(response)).toMatchObject({ param: 'temperature' });
    await expectFree(account);
  });
});

describe('an upstream that fails in the middle of a stream', () => {
  it.each(['fail-mid=4', 'error-mid=4', 'end-mid=4', 'hang-mid=4'])(
    '%s: is billed for the tokens that arrived',
    async (behaviour) => {
      const stream = await readStream(await chat(`sandbox-chat+${behaviour}`, { stream: true }));
      expect(stream.content.trim().split(/\s+/)).toHaveLength(4);
      expect(stream.error).toMatchObject({ message: expect.any(String), type: 'server_error' });
      expect(JSON.parse(stream.events.at(-1)!.slice('data: '.length))).toEqual({ error: stream.error });
      expect(stream.text).not.toContain('[DONE]');
      const event = await site.onlyEvent(account);
      expect(event).toMatchObject({ outcome: 'interrupted', estimated: true });
      expect(event.output_tokens).toBeGreaterThanOrEqual(4n);
      expect(event.output_tokens).toBeLessThanOrEqual(8n);
      await site.expectCharged(
        account,
        costOf(RATES, Number(event.input_tokens), Number(event.output_tokens)),
      );
    },
  );

  /** The names that events have in other protocols. */
  const OTHERS = {
    '/v1/responses': { body: { input: 'Hello' }, error: 'error', end: 'response.completed' },
    '/v1/messages': { body: { max_tokens: 8, messages: PROMPT }, error: 'error', end: 'message_stop' },
  } as const;
  it.each<[keyof typeof OTHERS, string]>([
    ['/v1/responses', 'fail-mid=4'],
    ['/v1/responses', 'error-mid=4'],
    ['/v1/responses', 'end-mid=4'],
    ['/v1/responses', 'hang-mid=4'],
    ['/v1/messages', 'error-mid=4'],
    ['/v1/messages', 'end-mid=4'],
  ])(
    'ends a stream of %s with its error and without its end, and bills what arrived: %s',
    async (path, fault) => {
      const { body, error, end } = OTHERS[path];
      const response = await site.post(path, account.apiKey, {
        ...body,
        model: `sandbox-chat+${fault}`,
        stream: true,
      });
      const events = eventsIn(await response.text());
      const names = events.map(({ event }) => event);
      expect(names).not.toContain(end);
      expect(names.filter((name) => name === error)).toHaveLength(1);
      if (path === '/v1/responses') {
        expect(names.slice(-2)).toEqual([error, 'response.failed']);
        expect(events.map(({ data }) => data.sequence_number)).toEqual(events.map((_, i) => i));
        expect(events.at(-1)!.data.response).toMatchObject({
          status: 'failed',
          output: [{ status: 'incomplete' }],
        });
      } else expect(names.at(-1)).toBe(error);
      const event = await site.onlyEvent(account);
      expect(event).toMatchObject({ outcome: 'interrupted', estimated: true });
      expect(event.output_tokens).toBeGreaterThanOrEqual(4n);
      expect(event.output_tokens).toBeLessThanOrEqual(8n);
      await site.expectCharged(account, event.cost_picos);
    },
  );

  it('continues after an event that is not JSON', async () => {
    const { text, content } = await readStream(await chat('sandbox-chat+malformed=2', { stream: true }));
    expect(text).toContain('{"id":"broken"');
    // The API document describes sound events only.
    expect(takeContractFaults()).toContainEqual(expect.stringContaining('message must match a schema'));
    expect(content.trim().split(/\s+/)).toHaveLength(8);
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    await site.expectCharged(account, costOf(RATES, PROMPT_TOKENS, 8));
  });

  it('is reported in a separate event after a partial event', async () => {
    const half = await startUpstream((_request, response) => {
      response.setHeader('Content-Type', 'text/event-stream');
      response.end('data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\ndata: {"choices":[{"ind');
    });
    const other = await TestSite.start({ m: RATES }, {}, () => [{ name: 'half', base_url: half.url }]);
    const of = await other.account();
    const body = { model: 'm', messages: PROMPT, stream: true };
    const { events } = await readStream(await other.post('/v1/chat/completions', of.apiKey, body));
    expect(JSON.parse(events.at(-1)!.slice('data: '.length))).toMatchObject({
      error: { code: 'upstream_error' },
    });
    expect(await other.onlyEvent(of)).toMatchObject({ outcome: 'interrupted', output_tokens: 1n });
    await other.stop();
    await half.close();
  });

  it('is an event without an end', async () => {
    let isClosed = false;
    const endless = await startUpstream((_request, response) => {
      response.on('close', () => (isClosed = true));
      response.setHeader('Content-Type', 'text/event-stream');
      response.write('data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\ndata: ');
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(64 * 1024)));
        response.once('drain', more);
      };
      more();
    });
    const other = await TestSite.start({ m: RATES }, {}, () => [{ name: 'endless', base_url: endless.url }]);
    const of = await other.account();
    const body = { model: 'm', messages: PROMPT, stream: true };
    const { events } = await readStream(await other.post('/v1/chat/completions', of.apiKey, body));
    expect(events).toHaveLength(2);
    expect(JSON.parse(events[1]!.slice('data: '.length))).toMatchObject({
      error: { code: 'upstream_error' },
    });
    expect(await other.onlyEvent(of)).toMatchObject({ outcome: 'interrupted', output_tokens: 1n });
    await waitFor(async () => isClosed);
    await other.stop();
    await endless.close();
  });

  it('ends at [DONE] although the upstream keeps the connection open', async () => {
    const lingering = await startUpstream((_request, response) => {
      response.setHeader('Content-Type', 'text/event-stream');
      response.write('data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n');
      response.write(
        'data: {"choices":[],"usage":{"prompt_tokens":2,"completion_tokens":1}}\n\ndata: [DONE]\n\n',
      );
    });
    const other = await TestSite.start({ m: RATES }, {}, () => [{ name: 'slow', base_url: lingering.url }]);
    const of = await other.account();
    const body = { model: 'm', messages: PROMPT, stream: true };
    const { text } = await readStream(
      await other.post('/v1/chat/completions', of.apiKey, body, { signal: AbortSignal.timeout(30_000) }),
    );
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    await other.expectCharged(of, costOf(RATES, 2, 1));
    await lingering.close();
    await other.stop();
  });
});
