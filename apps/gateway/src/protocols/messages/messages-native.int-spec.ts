import Anthropic from '@anthropic-ai/sdk';
import { type ServerResponse } from 'node:http';
import OpenAI from 'openai';
import { type TestAccount, waitFor } from '@inference/testing';
import { costOf, RATES, type ScriptedUpstream, startUpstream, TestSite } from '../../testing/gateway.fixture';
import { ChatTranslators } from '../../proxy/chat-translators';
import { ServingDirectory } from '../../upstreams/directory.service';
import { answer, type Fields } from '../scripted-chat.fixture';

/** SDKs and plain calls against servers that speak no chat completions, with answers of the test. */

const NATIVE_MODEL = 'native-model';
/** Of that server, and of a chat server if it cannot be had there. */
const MIXED_MODEL = 'mixed-model';
/** As that server calls it. */
const NAME_THERE = 'maker-model-1';
const QUESTION = { role: 'user' as const, content: 'What is a ledger?' };
const WEATHER: Anthropic.Tool = {
  name: 'weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

let maker: ScriptedUpstream;
/** What that server answers next. */
let makersAnswer: (response: ServerResponse) => void;
/** Where it was asked for it. */
let askedPath: string | undefined;
let site: TestSite;
let account: TestAccount;
let client: Anthropic;

beforeAll(async () => {
  maker = await startUpstream((request, response) => {
    askedPath = request.url;
    makersAnswer(response);
  });
  site = await TestSite.start({ [NATIVE_MODEL]: RATES, [MIXED_MODEL]: RATES }, {}, () => [
    {
      name: 'maker',
      base_url: maker.url,
      api_key: 'sk-maker',
      protocols: ['messages'],
      models: { [NATIVE_MODEL]: NAME_THERE, [MIXED_MODEL]: NAME_THERE },
    },
    { name: 'chatting', base_url: maker.url, models: [MIXED_MODEL] },
  ]);
});
afterAll(async () => {
  await site.stop();
  await maker.close();
});
let openai: OpenAI;
beforeEach(async () => {
  account = await site.account();
  openai = new OpenAI({ apiKey: account.apiKey, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 });
  client = new Anthropic({ apiKey: account.apiKey, baseURL: site.gateway.url, maxRetries: 0 });
});

const given = (status: number, json: object, headers: Record<string, string> = {}) =>
  (makersAnswer = (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(json)));
const eventText = (data: Fields & { type: string }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const streamed = (text: string, isCut = false) =>
  (makersAnswer = (response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    if (isCut) response.write(text, () => response.destroy());
    else response.end(text);
  });

describe('a server that speaks Messages', () => {
  const NATIVE_REQUEST = { model: NATIVE_MODEL, max_tokens: 50, messages: [QUESTION] };
  const CONTENT = [
    { type: 'thinking', thinking: 'A book?', signature: 'EqQBCkYIBxgC' },
    { type: 'text', text: 'A book of entries.' },
  ];
  const MESSAGE = {
    id: 'msg_01',
    type: 'message',
    role: 'assistant',
    model: NAME_THERE,
    content: CONTENT,
    stop_reason: 'end_turn',
    stop_sequence: null,
  };
  /** As Anthropic counts: the input without what is in the cache. */
  const MAKERS_USAGE = {
    input_tokens: 11,
    cache_creation_input_tokens: 20,
    cache_read_input_tokens: 300,
    output_tokens: 7,
  };
  const [INPUT, OUTPUT] = [331, 7];
  const blockDelta = (index: number, delta: Fields) =>
    eventText({ type: 'content_block_delta', index, delta });
  const blockStart = (index: number, content_block: Fields) =>
    eventText({ type: 'content_block_start', index, content_block });
  const START = [
    eventText({
      type: 'message_start',
      message: { ...MESSAGE, content: [], stop_reason: null, usage: { ...MAKERS_USAGE, output_tokens: 1 } },
    }),
    blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
    eventText({ type: 'ping' }),
    blockDelta(0, { type: 'thinking_delta', thinking: 'A book?' }),
    blockDelta(0, { type: 'signature_delta', signature: 'EqQBCkYIBxgC' }),
    eventText({ type: 'content_block_stop', index: 0 }),
    blockStart(1, { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }),
    blockDelta(1, { type: 'input_json_delta', partial_json: '{"city":' }),
    blockDelta(1, { type: 'input_json_delta', partial_json: '"Bern"}' }),
    eventText({ type: 'content_block_stop', index: 1 }),
  ];
  const STOP = eventText({ type: 'message_stop' });
  const delta = (usage: Fields) =>
    eventText({ type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage });
  const expectMakerBilled = async (outcome = 'completed') => {
    const event = await site.onlyEvent(account);
    expect(event).toMatchObject({ endpoint: 'messages', model: NATIVE_MODEL, upstream: 'maker', outcome });
    return event;
  };

  it('gets the bytes of the client, and its answer is passed on with the price', async () => {
    given(200, { ...MESSAGE, usage: MAKERS_USAGE });
    const body = `{ "max_tokens":50,"model":"${NATIVE_MODEL}", "tools":[{"name":"t","input_schema":{"type":"object","properties":{"n":{"maximum":9223372036854775807,"minimum":1.0}}}}],"messages":[{"role":"user","content":[{"type":"text","text":"h\\u0069","cache_control":{"type":"ephemeral"}}]}]\n}`;
    const response = await fetch(`${site.gateway.url}/v1/messages`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'x-api-key': account.apiKey,
        'anthropic-version': '2023-01-01',
        'anthropic-beta': 'context-1m,other-beta',
      },
      body,
    });
    const text = await response.text();
    expect(maker.bodies.at(-1)).toBe(body.replace(NATIVE_MODEL, NAME_THERE));
    expect(maker.headers.at(-1)).toMatchObject({
      'x-api-key': 'sk-maker',
      'anthropic-version': '2023-01-01',
      'anthropic-beta': 'context-1m,other-beta',
    });
    expect(maker.headers.at(-1)!.authorization).toBeUndefined();
    const { usage, ...message } = JSON.parse(text) as { usage: Fields };
    expect(message).toEqual(MESSAGE);
    expect(usage).toMatchObject({ ...MAKERS_USAGE, cost_details: expect.any(Array) as unknown });
    expect(response.headers.get('x-ignored-fields')).toBeNull();
    const event = await expectMakerBilled();
    expect(event).toMatchObject({
      input_tokens: BigInt(INPUT),
      output_tokens: BigInt(OUTPUT),
      estimated: false,
    });
    expect(text).toContain(`"cost":${Number(event.cost_picos) / 1e12}`);
    await site.expectCharged(account, costOf(RATES, INPUT, OUTPUT));
  });

  describe('counts the tokens of a prompt', () => {
    const counted = async () =>
      (await client.messages.countTokens({ model: NATIVE_MODEL, messages: [QUESTION] })).input_tokens;

    it('from the bytes of the client, for nothing', async () => {
      given(200, { input_tokens: 4_711 });
      const body = `{"messages":[{"role":"user","content":"h\\u0069"}],  "model":"${NATIVE_MODEL}"}`;
      const response = await fetch(`${site.gateway.url}/v1/messages/count_tokens`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          'x-api-key': account.apiKey,
          'anthropic-version': '2023-01-01',
          'anthropic-beta': 'token-counting',
        },
        body,
      });
      expect([response.status, await response.json()]).toEqual([200, { input_tokens: 4_711 }]);
      expect(askedPath).toBe('/v1/messages/count_tokens');
      expect(maker.bodies.at(-1)).toBe(body.replace(NATIVE_MODEL, NAME_THERE));
      expect(maker.headers.at(-1)).toMatchObject({
        ...{ 'x-api-key': 'sk-maker', 'anthropic-version': '2023-01-01', 'anthropic-beta': 'token-counting' },
      });
      await site.expectCharged(account, 0n);
    });

    it.each<[string, typeof makersAnswer]>([
      ['refuses', (response) => response.writeHead(400).end('{"type":"error"}')],
      ['fails', (response) => response.writeHead(500).end()],
      ['breaks off', (response) => response.destroy()],
      ['says nothing', () => undefined],
      ['gives no count', (response) => response.end('{"input_tokens":"5"}')],
      ['gives a negative count', (response) => response.end('{"input_tokens":-1}')],
      ['writes without an end', (response) => response.end(`{"input_tokens":1${' '.repeat(70_000)}}`)],
    ])('unless it %s: then the gateway estimates', async (_what, behaviour) => {
      makersAnswer = behaviour;
      const asked = maker.bodies.length;
      const tokens = await counted();
      expect([tokens > 3, tokens < 40, maker.bodies.length - asked]).toEqual([true, true, 1]);
    });

    it('for a few requests of an account at once', async () => {
      const held: ServerResponse[] = [];
      makersAnswer = (response) => void held.push(response);
      let estimated = 0;
      const all = Promise.all(Array.from({ length: 9 }, () => counted().finally(() => estimated++)));
      await waitFor(() => Promise.resolve(held.length + estimated === 9));
      expect(held).toHaveLength(4);
      for (const response of held) response.end('{"input_tokens":4711}');
      expect((await all).filter((count) => count === 4_711)).toHaveLength(4);
      given(200, { input_tokens: 12 });
      expect(await counted()).toBe(12);
    });

    it('and is not asked again if it cannot', async () => {
      given(404, { type: 'error' });
      const asked = maker.bodies.length;
      for (let i = 0; i < 2; i++) expect(await counted()).toBeLessThan(40);
      expect(maker.bodies.length - asked).toBe(1);
      // Its calls go on.
      given(200, { ...MESSAGE, usage: MAKERS_USAGE });
      expect((await site.post('/v1/messages', account.apiKey, NATIVE_REQUEST)).status).toBe(200);
    });
  });

  it('streams its own events, of which the last usage has the price', async () => {
    streamed([...START, delta({ ...MAKERS_USAGE, cost: 99 }), STOP].join(''));
    const response = await site.post('/v1/messages', account.apiKey, { ...NATIVE_REQUEST, stream: true });
    const text = await response.text();
    expect(text.startsWith(START.join(''))).toBe(true);
    expect(text.endsWith(STOP)).toBe(true);
    expect(text).not.toContain('"cost":99');
    const event = await expectMakerBilled();
    expect(text).toContain(`"cost":${Number(event.cost_picos) / 1e12}`);
    await site.expectCharged(account, costOf(RATES, INPUT, OUTPUT));
  });

  it('costs the operator what it takes, also for what cannot be used', async () => {
    const list = await site.publishCostPrices('maker', [
      [NAME_THERE, 'per_million_input_tokens', 10],
      [NAME_THERE, 'per_million_cached_input_tokens', 1],
      [NAME_THERE, 'per_million_cache_write_tokens', 20],
      [NAME_THERE, 'per_million_output_tokens', 100],
    ]);
    const taken = 11 * 10 + 300 * 1 + 20 * 20 + 7 * 100;
    given(200, { ...MESSAGE, usage: MAKERS_USAGE });
    expect((await site.post('/v1/messages', account.apiKey, NATIVE_REQUEST)).status).toBe(200);
    streamed([...START, delta(MAKERS_USAGE), STOP].join(''));
    const stream = await site.post('/v1/messages', account.apiKey, { ...NATIVE_REQUEST, stream: true });
    await stream.text();
    // An answer that says nothing, but for how much.
    given(200, { type: 'message', usage: MAKERS_USAGE });
    expect((await site.post('/v1/messages', account.apiKey, NATIVE_REQUEST)).status).toBe(502);
    const { rows } = await site.pool.query<{ costs: unknown }>(
      'SELECT upstream_costs AS costs FROM metering.usage_events WHERE account_id = $1',
      [account.accountId],
    );
    const costs = [{ upstream: 'maker', list, served: true, cost_picos: String(taken) }];
    expect(rows).toEqual([{ costs }, { costs }]);
    const { rows: margins } = await site.pool.query(
      `SELECT sum(calls)::integer AS calls, sum(uncosted_calls)::integer AS uncosted, sum(revenue_picos)::bigint AS revenue,
         sum(cost_picos)::bigint AS cost FROM metering.margins WHERE account_id = $1`,
      [account.accountId],
    );
    const revenue = 2n * costOf(RATES, INPUT, OUTPUT);
    expect(margins).toEqual([{ calls: 2, uncosted: 0, revenue, cost: BigInt(2 * taken) }]);
    await site.expectCharged(account, revenue);
  });

  it('is understood by Anthropic’s SDK, with thoughts and calls', async () => {
    streamed([...START, delta({ output_tokens: 7 }), STOP].join(''));
    const message = await client.messages.stream({ ...NATIVE_REQUEST, tools: [WEATHER] }).finalMessage();
    expect(message).toMatchObject({
      id: 'msg_01',
      content: [
        { type: 'thinking', thinking: 'A book?', signature: 'EqQBCkYIBxgC' },
        { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bern' } },
      ],
      stop_reason: 'tool_use',
    });
    await expectMakerBilled();
    await site.expectCharged(account, costOf(RATES, INPUT, OUTPUT));
  });

  it('may break off: what came is charged, and the client gets an error', async () => {
    streamed(START.join(''), true);
    const stream = client.messages.stream(NATIVE_REQUEST);
    await expect(stream.finalMessage()).rejects.toThrow('what was produced until then are charged');
    const event = await expectMakerBilled('interrupted');
    expect(event).toMatchObject({ input_tokens: BigInt(INPUT), estimated: true });
    expect(event.output_tokens).toBeGreaterThan(1n);
    await site.expectCharged(account, event.cost_picos);
  });

  it('is left alone when the client leaves, who pays for what came', async () => {
    let isLeft = false;
    makersAnswer = (response) => {
      response.on('close', () => (isLeft = true));
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(START.join(''));
    };
    const client = new AbortController();
    const body = { ...NATIVE_REQUEST, stream: true };
    const { signal } = client;
    const response = await site.post('/v1/messages', account.apiKey, body, { signal });
    await response.body!.getReader().read();
    client.abort();
    const event = await expectMakerBilled('disconnected');
    expect(event).toMatchObject({ input_tokens: BigInt(INPUT), estimated: true });
    await waitFor(() => Promise.resolve(isLeft));
    await site.expectCharged(account, event.cost_picos);
  });

  it('is asked once for a call that is repeated with its Idempotency-Key', async () => {
    given(200, { ...MESSAGE, usage: MAKERS_USAGE });
    const calls = maker.bodies.length;
    const init = { headers: { 'Idempotency-Key': 'once' } };
    const post = () => site.post('/v1/messages', account.apiKey, NATIVE_REQUEST, init);
    const [first, second] = [await post(), await post()];
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await second.text()).toBe(await first.text());
    expect(maker.bodies).toHaveLength(calls + 1);
    await site.expectCharged(account, costOf(RATES, INPUT, OUTPUT));
  });

  it('tells a failure in its stream itself, which is not charged without an answer', async () => {
    const failure = eventText({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
    streamed(START[0]! + failure);
    const response = await site.post('/v1/messages', account.apiKey, { ...NATIVE_REQUEST, stream: true });
    expect(await response.text()).toBe(START[0]! + failure);
    await site.expectCharged(account, 0n);
  });

  it('refuses with its own body', async () => {
    const refusal = {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'thinking: too long' },
      request_id: 'req_maker',
    };
    given(400, refusal);
    const response = await site.post('/v1/messages', account.apiKey, NATIVE_REQUEST);
    expect([response.status, await response.json()]).toEqual([400, refusal]);
    await site.expectCharged(account, 0n);
  });

  it('gets no field twice that decides on the price', async () => {
    const body = `{"max_tokens":1,"max_tokens":900,"model":"${NATIVE_MODEL}","messages":[{"role":"user","content":"hi"}]}`;
    const response = await site.post('/v1/messages', account.apiKey, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 'invalid_value', param: 'max_tokens' } });
  });

  it('gets no completion and no text to embed', async () => {
    const body = { model: NATIVE_MODEL, prompt: 'x', input: 'x' };
    for (const path of ['/v1/completions', '/v1/embeddings']) {
      const response = await site.post(path, account.apiKey, body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: { code: 'protocol_not_served', param: 'model' } });
    }
    await site.expectCharged(account, 0n);
  });

  describe('gets a chat completion in its words', () => {
    const CHAT = { model: NATIVE_MODEL, messages: [QUESTION] };
    const TOOLS = [
      { type: 'function' as const, function: { name: 'weather', parameters: WEATHER.input_schema } },
    ];
    const expectChatBilled = async (outcome = 'completed') => {
      const event = await site.onlyEvent(account);
      expect(event).toMatchObject({ endpoint: 'chat/completions', upstream: 'maker', outcome });
      return event;
    };

    it('and answers as a chat server, billed as in its own', async () => {
      const { input_tokens, ...cached } = MAKERS_USAGE;
      given(200, {
        ...MESSAGE,
        content: [...CONTENT, { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bern' } }],
        stop_reason: 'tool_use',
        usage: { ...cached, input_tokens },
      });
      const answered = await openai.chat.completions.create({ ...CHAT, tools: TOOLS });
      expect(askedPath).toBe('/v1/messages');
      expect(maker.headers.at(-1)).toMatchObject({
        'x-api-key': 'sk-maker',
        'anthropic-version': '2023-06-01',
      });
      expect(maker.headers.at(-1)!.authorization).toBeUndefined();
      expect(JSON.parse(maker.bodies.at(-1)!)).toMatchObject({ model: NAME_THERE, max_tokens: 131_072 });
      expect(answered.choices).toMatchObject([
        {
          message: {
            content: 'A book of entries.',
            reasoning_content: 'A book?',
            reasoning_details: [{ type: 'reasoning.text', text: 'A book?', signature: 'EqQBCkYIBxgC' }],
            tool_calls: [{ id: 'toolu_1', function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ]);
      const event = await expectChatBilled();
      expect(answered.usage).toMatchObject({
        prompt_tokens: INPUT,
        completion_tokens: OUTPUT,
        prompt_tokens_details: { cached_tokens: 300 },
        cost: Number(event.cost_picos) / 1e12,
      });
      await site.expectCharged(account, costOf(RATES, INPUT, OUTPUT));
    });

    it('as a stream, whose usage is told if the client asks for it', async () => {
      streamed([...START, delta(MAKERS_USAGE), STOP].join(''));
      const stream = openai.chat.completions.stream({
        ...CHAT,
        tools: TOOLS,
        stream_options: { include_usage: true },
      });
      const answered = await stream.finalChatCompletion();
      expect(answered.choices).toMatchObject([
        {
          message: {
            reasoning_content: 'A book?',
            tool_calls: [{ id: 'toolu_1', function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ]);
      const event = await expectChatBilled();
      expect(answered.usage).toMatchObject({ prompt_tokens: INPUT, cost: Number(event.cost_picos) / 1e12 });
      await site.expectCharged(account, costOf(RATES, INPUT, OUTPUT));
      const response = await site.post('/v1/chat/completions', account.apiKey, { ...CHAT, stream: true });
      const text = await response.text();
      expect(text).not.toContain('"choices":[]');
      expect(text).toContain('EqQBCkYIBxgC');
      expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
    });

    it('whose answer may break off or fail', async () => {
      streamed(START.join(''), true);
      const body = { ...CHAT, stream: true };
      const cut = await (await site.post('/v1/chat/completions', account.apiKey, body)).text();
      expect(cut).toContain('"code":"upstream_error"');
      const event = await expectChatBilled('interrupted');
      expect(event).toMatchObject({ input_tokens: BigInt(INPUT), estimated: true });
      const failure = eventText({ type: 'error', error: { type: 'overloaded_error', message: 'Full' } });
      streamed(START[0]! + failure);
      const failed = await (await site.post('/v1/chat/completions', account.apiKey, body)).text();
      expect(failed).toContain('"error":{"message":"Full"');
      await site.expectCharged(account, event.cost_picos);
    });

    it('which it may refuse, and which is refused if it has no words for it', async () => {
      given(400, { type: 'error', error: { type: 'invalid_request_error', message: 'Too long' } });
      const refused = await site.post('/v1/chat/completions', account.apiKey, CHAT);
      expect(refused.status).toBe(400);
      expect(await refused.json()).toEqual({
        error: { message: 'Too long', type: 'invalid_request_error', param: null, code: null },
      });
      const unknown = await site.post('/v1/chat/completions', account.apiKey, { ...CHAT, seed: 1 });
      expect(unknown.status).toBe(400);
      expect(await unknown.json()).toMatchObject({ error: { code: 'invalid_value', param: 'seed' } });
      await site.expectCharged(account, 0n);
    });

    it('but another one gets it as it is if that has no words for it', async () => {
      given(200, { ...MESSAGE, usage: MAKERS_USAGE });
      const body = { ...CHAT, model: MIXED_MODEL };
      expect((await site.post('/v1/chat/completions', account.apiKey, body)).status).toBe(200);
      expect(askedPath).toBe('/v1/messages');
      given(200, answer({ content: 'A book.' }));
      const seeded = await site.post('/v1/chat/completions', account.apiKey, { ...body, seed: 1 });
      expect([askedPath, seeded.status]).toEqual(['/v1/chat/completions', 200]);
      expect(JSON.parse(maker.bodies.at(-1)!)).toEqual({ ...body, seed: 1 });
      // What only a failing one can carry is no fault of the request.
      given(500, { error: { message: 'Out of memory' } });
      const failed = await site.post('/v1/chat/completions', account.apiKey, { ...body, seed: 1 });
      expect([askedPath, failed.status]).toEqual(['/v1/chat/completions', 502]);
    });

    it('and gives back its slot and the money if that cannot be made', async () => {
      const limit = async (concurrency: number | null) => {
        await site.pool.query("UPDATE serving.upstreams SET concurrency = $1 WHERE name = 'maker'", [
          concurrency,
        ]);
        await site.pool.query("SELECT pg_notify('serving', '')");
        const { upstreams } = site.gateway.app.get(ServingDirectory);
        const { load } = upstreams.find(({ name }) => name === 'maker')!;
        await waitFor(async () => (load.limits === undefined) === (concurrency === null));
      };
      await limit(1);
      const body = { ...CHAT, max_tokens: 8 };
      const most = costOf(RATES, Buffer.byteLength(JSON.stringify(body)), 8);
      const poor = await site.account(most);
      const translating = jest.spyOn(site.gateway.app.get(ChatTranslators), 'translate');
      translating.mockRejectedValueOnce(new Error('no words'));
      const failed = await site.post('/v1/chat/completions', poor.apiKey, body);
      expect(failed.status).toBe(500);
      translating.mockRestore();
      given(200, { ...MESSAGE, usage: { input_tokens: 3, output_tokens: 2 } });
      const served = await site.post('/v1/chat/completions', poor.apiKey, body);
      expect([served.status, await served.json()]).toMatchObject([200, { object: 'chat.completion' }]);
      await site.expectCharged(poor, costOf(RATES, 3, 2), most);
      await limit(null);
    });

    it('with what it ignores told in a header', async () => {
      given(200, { ...MESSAGE, usage: MAKERS_USAGE });
      const body = { ...CHAT, metadata: { a: 'b' } };
      const response = await site.post('/v1/chat/completions', account.apiKey, body);
      expect(response.headers.get('x-ignored-fields')).toBe('metadata');
      expect(await response.json()).toMatchObject({ object: 'chat.completion' });
    });
  });
});
