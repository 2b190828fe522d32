import Anthropic from '@anthropic-ai/sdk';
import { type ServerResponse } from 'node:http';
import { type TestAccount } from '@inference/testing';
import { costOf, RATES, type ScriptedUpstream, startUpstream, TestSite } from '../../testing/gateway.fixture';
import { type Fields } from '../scripted-chat.fixture';

/** Anthropic's SDK and plain calls against a server that speaks Messages, with answers of the test. */

const NATIVE_MODEL = 'native-model';
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
let site: TestSite;
let account: TestAccount;
let client: Anthropic;

beforeAll(async () => {
  maker = await startUpstream((_request, response) => makersAnswer(response));
  site = await TestSite.start({ [NATIVE_MODEL]: RATES }, {}, () => [
    {
      name: 'maker',
      base_url: maker.url,
      api_key: 'sk-maker',
      protocols: ['messages'],
      models: { [NATIVE_MODEL]: NAME_THERE },
    },
  ]);
});
afterAll(async () => {
  await site.stop();
  await maker.close();
});
beforeEach(async () => {
  account = await site.account();
  client = new Anthropic({ apiKey: account.apiKey, baseURL: site.gateway.url, maxRetries: 0 });
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
  const given = (status: number, json: object, headers: Record<string, string> = {}) =>
    (makersAnswer = (response) =>
      response
        .writeHead(status, { 'Content-Type': 'application/json', ...headers })
        .end(JSON.stringify(json)));
  const eventText = (data: Fields & { type: string }) =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const START = [
    eventText({
      type: 'message_start',
      message: { ...MESSAGE, content: [], stop_reason: null, usage: { ...MAKERS_USAGE, output_tokens: 1 } },
    }),
    eventText({
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'thinking', thinking: '', signature: '' },
    }),
    eventText({ type: 'ping' }),
    eventText({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'thinking_delta', thinking: 'A book?' },
    }),
    eventText({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'signature_delta', signature: 'EqQBCkYIBxgC' },
    }),
    eventText({ type: 'content_block_stop', index: 0 }),
    eventText({
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} },
    }),
    eventText({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{"city":' },
    }),
    eventText({
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '"Bern"}' },
    }),
    eventText({ type: 'content_block_stop', index: 1 }),
  ];
  const STOP = eventText({ type: 'message_stop' });
  const delta = (usage: Fields) =>
    eventText({ type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage });
  const streamed = (text: string, isCut = false) =>
    (makersAnswer = (response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      if (isCut) response.write(text, () => response.destroy());
      else response.end(text);
    });
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
    await expect(stream.finalMessage()).rejects.toThrow('No upstream could answer');
    const event = await expectMakerBilled('interrupted');
    expect(event).toMatchObject({ input_tokens: BigInt(INPUT), estimated: true });
    expect(event.output_tokens).toBeGreaterThan(1n);
    await site.expectCharged(account, event.cost_picos);
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

  it('gets no chat completion', async () => {
    const body = { model: NATIVE_MODEL, messages: [QUESTION] };
    const response = await site.post('/v1/chat/completions', account.apiKey, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'protocol_not_served', message: expect.stringContaining('/v1/messages') as unknown },
    });
    await site.expectCharged(account, 0n);
  });
});
