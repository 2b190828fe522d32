import { type ServerResponse } from 'node:http';
import { type TestAccount, waitFor } from '@inference/testing';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { costOf, RATES, type ScriptedUpstream, startUpstream, TestSite } from '../../testing/gateway.fixture';
import {
  answer,
  chunk,
  eventsIn,
  type Fields,
  ScriptedChat,
  USAGE,
  usageChunk,
} from '../scripted-chat.fixture';

/** OpenAI's SDK, unchanged, against a chat server whose answers are scripted. */

const MODEL = 'house-model';
/** Of a server that speaks Responses, under another name. */
const NATIVE_MODEL = 'native-model';
const WEATHER: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: true,
};

let chat: ScriptedChat;
let maker: ScriptedUpstream;
/** What that server answers next. */
let makersAnswer: (response: ServerResponse) => void;
let site: TestSite;
let account: TestAccount;
let client: OpenAI;

beforeAll(async () => {
  chat = await ScriptedChat.start();
  maker = await startUpstream((_request, response) => makersAnswer(response));
  site = await TestSite.start({ [MODEL]: RATES, [NATIVE_MODEL]: RATES }, {}, () => [
    { name: 'chat', base_url: chat.upstream.url, models: [MODEL] },
    {
      name: 'maker',
      base_url: maker.url,
      api_key: 'sk-maker',
      protocols: ['chat', 'responses'],
      models: { [NATIVE_MODEL]: 'maker-1' },
    },
  ]);
});
afterAll(async () => {
  await site.stop();
  await chat.upstream.close();
  await maker.close();
});
beforeEach(async () => {
  account = await site.account();
  client = new OpenAI({ apiKey: account.apiKey, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 });
});

async function expectBilled(usage = USAGE) {
  const event = await site.onlyEvent(account);
  expect(event).toMatchObject({
    endpoint: 'responses',
    model: MODEL,
    input_tokens: BigInt(usage.prompt_tokens),
    output_tokens: BigInt(usage.completion_tokens),
    estimated: false,
    outcome: 'completed',
  });
  await site.expectCharged(account, costOf(RATES, usage.prompt_tokens, usage.completion_tokens));
  return event;
}

it('answers a text', async () => {
  const usage = {
    ...USAGE,
    prompt_tokens_details: { cached_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 2 },
    // What the upstream charges, which no customer sees.
    cost: 0.5,
  };
  chat.next({ json: answer({ content: 'A book of entries.', reasoning_content: 'Easy.' }, 'stop', usage) });
  const { data, response } = await client.responses
    .create({
      model: MODEL,
      instructions: 'Be brief.',
      input: 'What is a ledger?',
      max_output_tokens: 50,
      reasoning: { effort: 'low' },
      metadata: { team: 'a' },
    })
    .withResponse();
  const event = await expectBilled();
  const id = event.request_id.replace('req_', '');
  expect(response.headers.get('x-inference-request-id')).toBe(event.request_id);
  expect(data).toMatchObject({
    id: `resp_${id}`,
    object: 'response',
    status: 'completed',
    completed_at: expect.any(Number),
    frequency_penalty: 0,
    presence_penalty: 0,
    store: false,
    output_text: 'A book of entries.',
    output: [
      {
        id: `rs_${id}_0`,
        type: 'reasoning',
        summary: [],
        content: [{ type: 'reasoning_text', text: 'Easy.' }],
      },
      { id: `msg_${id}_1`, type: 'message', role: 'assistant', status: 'completed' },
    ],
    usage: {
      input_tokens: 21,
      input_tokens_details: { cached_tokens: 8 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 2 },
      total_tokens: 26,
      cost: 0.00000615,
    },
    instructions: 'Be brief.',
    max_output_tokens: 50,
    metadata: { team: 'a' },
    previous_response_id: null,
  });
  expect(chat.lastBody).toEqual({
    model: MODEL,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is a ledger?' },
    ],
    max_tokens: 50,
    reasoning_effort: 'low',
  });
});

it('streams a thought, a text and a call with all events and numbers', async () => {
  chat.next({
    chunks: [
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning: 'Look.' }),
      chunk({ content: 'I look ' }),
      chunk({ content: 'it up.' }),
      chunk({
        tool_calls: [{ index: 0, id: 'call_a', function: { name: 'weather', arguments: '{"city":' } }],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Bern"}' } }] }),
      chunk({}, 'tool_calls'),
      usageChunk(),
    ],
  });
  const stream = client.responses.stream({ model: MODEL, input: 'Hello', tools: [WEATHER] });
  const events: OpenAI.Responses.ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  const response = await stream.finalResponse();
  expect(events.map(({ type }) => type.replace('response.', ''))).toEqual([
    ...['created', 'in_progress'],
    ...['output_item.added', 'content_part.added', 'reasoning_text.delta', 'reasoning_text.done'],
    ...['content_part.done', 'output_item.done', 'output_item.added', 'content_part.added'],
    ...[
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
    ],
    ...['output_item.added', 'function_call_arguments.delta', 'function_call_arguments.delta'],
    ...['function_call_arguments.done', 'output_item.done', 'completed'],
  ]);
  expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i));
  expect(response).toMatchObject({
    status: 'completed',
    output_text: 'I look it up.',
    output: [
      {},
      {},
      { type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{"city":"Bern"}' },
    ],
    usage: { input_tokens: 21, output_tokens: 5 },
  });
  await expectBilled();
});

it('parses an answer of a schema', async () => {
  chat.next({ json: answer({ content: '{"city":"Bern","degrees":7}' }) });
  const format = zodTextFormat(z.object({ city: z.string(), degrees: z.number() }), 'weather');
  const { output_parsed: parsed } = await client.responses.parse({
    model: MODEL,
    input: 'Bern?',
    text: { format },
  });
  expect(parsed).toEqual({ city: 'Bern', degrees: 7 });
  expect(chat.lastBody).toMatchObject({
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'weather', strict: true, schema: format.schema },
    },
  });
});

it('goes on after the result of a tool', async () => {
  const call = {
    id: 'call_a',
    type: 'function',
    function: { name: 'weather', arguments: '{"city":"Bern"}' },
  };
  chat.next(
    { json: answer({ content: null, tool_calls: [call] }, 'tool_calls') },
    { json: answer({ content: 'Seven degrees.' }) },
  );
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'How is Bern?' }];
  const include: OpenAI.Responses.ResponseIncludable[] = ['reasoning.encrypted_content'];
  const request = { model: MODEL, tools: [WEATHER], include, store: false };
  const first = await client.responses.create({ ...request, input });
  input.push(...(first.output as OpenAI.Responses.ResponseInputItem[]));
  input.push({ type: 'function_call_output', call_id: 'call_a', output: '7' });
  const second = await client.responses.create({ ...request, input });
  expect(second.output_text).toBe('Seven degrees.');
  expect(chat.lastBody.messages).toEqual([
    { role: 'user', content: 'How is Bern?' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_a', content: '7' },
  ]);
});

it('runs a custom tool as a function with one argument', async () => {
  const tool = { type: 'custom' as const, name: 'apply_patch', description: 'Edits.' };
  chat.next({
    chunks: [
      chunk({
        tool_calls: [
          { index: 0, id: 'c1', function: { name: 'apply_patch', arguments: '{"input":"*** Be' } },
        ],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: 'gin\\n"}' } }] }, 'tool_calls'),
      usageChunk(),
    ],
  });
  const stream = client.responses.stream({ model: MODEL, input: 'Edit', tools: [tool] });
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  expect(types.filter((type) => type.includes('custom'))).toEqual([
    'response.custom_tool_call_input.delta',
    'response.custom_tool_call_input.done',
  ]);
  expect((await stream.finalResponse()).output).toMatchObject([
    { type: 'custom_tool_call', call_id: 'c1', name: 'apply_patch', input: '*** Begin\n' },
  ]);
});

it.each([
  ['max_output_tokens', 'length'],
  ['content_filter', 'content_filter'],
])('says %s for an answer that was cut off, and so does its last item', async (reason, finish) => {
  const call = { index: 0, id: 'c1', function: { name: 'weather', arguments: '{"city":"Be' } };
  chat.next({ chunks: [chunk({ content: 'x' }), chunk({ tool_calls: [call] }, finish), usageChunk()] });
  const stream = client.responses.stream({ model: MODEL, input: 'x', tools: [WEATHER] });
  const done: unknown[] = [];
  stream.on('response.output_item.done', ({ item }) => done.push((item as { status?: string }).status));
  expect(await stream.finalResponse()).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason },
    output: [{ status: 'completed' }, { status: 'incomplete', arguments: '{"city":"Be' }],
  });
  expect(done).toEqual(['completed', 'incomplete']);
});

describe('refusals', () => {
  const post = (body: Fields) =>
    site.post('/v1/responses', account.apiKey, { model: MODEL, input: 'x', ...body });

  it.each<[string, Fields, RegExp]>([
    ['previous_response_id', { previous_response_id: 'resp_1' }, /not stored: its owner/],
    ['conversation', { conversation: 'conv_1' }, /previous_response_id/],
    ['background', { background: true }, /its client waits/],
    ['input', { input: 7 }, /a text or a list/],
    ['input.0.type', { input: [{ type: 'item_reference', id: 'msg_1' }] }, /items themselves/],
    ['input.0.type', { input: [{ type: 'computer_call' }] }, /computer_call/],
    ['input.0.role', { input: [{ role: 'tool', content: 'x' }] }, /user, assistant, system or developer/],
    ['tools.0.type', { tools: [{ type: 'file_search' }] }, /file_search cannot be run/],
    [
      'tool_choice.name',
      { tools: [WEATHER], tool_choice: { type: 'function', name: 'x' } },
      /one of the tools/,
    ],
    ['tool_choice', { tool_choice: 'required' }, /no(t|ne)/],
    ['max_output_tokens', { max_output_tokens: 0 }, /integer of at least 1/],
    ['stream', { stream: 'yes' }, /true or false/],
    ['text.format.type', { text: { format: { type: 'xml' } } }, /json_schema/],
    ['text.format.strict', { text: { format: { type: 'text', strict: true } } }, /cannot be passed on/],
    ['text.format.schema', { text: { format: { type: 'json_object', schema: {} } } }, /cannot be passed on/],
    [
      'tools.0.format.definition',
      { tools: [{ type: 'custom', name: 'x', format: { type: 'text', definition: 'y' } }] },
      /cannot be passed on/,
    ],
    [
      'tools.0.format.flags',
      {
        tools: [
          {
            type: 'custom',
            name: 'x',
            format: { type: 'grammar', syntax: 'lark', definition: 'y', flags: 'i' },
          },
        ],
      },
      /cannot be passed on/,
    ],
    ['prompt', { prompt: { id: 'p' } }, /cannot be passed on/],
    ['nonsense', { nonsense: 1 }, /cannot be passed on/],
    ['model', { model: 7 }, /text/],
  ])('400 that names %s', async (param, body, message) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        type: 'invalid_request_error',
        code: 'invalid_value',
        param,
        message: expect.stringMatching(message),
      },
    });
  });

  it('leaves out tools that a coding agent does without, and says so', async () => {
    chat.next({ json: answer({ content: 'x' }) });
    const response = await post({
      tools: [WEATHER, { type: 'web_search' }, { type: 'namespace', name: 'x', tools: [] }],
      prompt_cache_key: 'k',
      input: [
        { role: 'user', content: 'x' },
        { type: 'item_reference', id: 'rs_1' },
      ],
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ignored-fields')).toBe(
      'prompt_cache_key, tools.* (web_search), tools.* (namespace), input.* (item_reference)',
    );
    expect(chat.lastBody.tools).toHaveLength(1);
    expect(chat.lastBody).not.toHaveProperty('prompt_cache_key');
  });

  it('ends a stream that breaks off with its own events, and charges what was produced', async () => {
    chat.next({ chunks: [chunk({ content: 'Half an ' })], isCut: true });
    const response = await post({ stream: true });
    const events = eventsIn(await response.text());
    expect(events.slice(-2)).toMatchObject([
      { event: 'error', data: { code: 'upstream_error' } },
      {
        event: 'response.failed',
        data: { response: { status: 'failed', error: { code: 'upstream_error' } } },
      },
    ]);
    expect((await site.onlyEvent(account)).outcome).toBe('interrupted');
  });
});

describe('a server that speaks Responses', () => {
  const USAGE_THERE = {
    input_tokens: 40,
    input_tokens_details: { cached_tokens: 32 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 4 },
    total_tokens: 49,
  };
  const RESPONSE = {
    id: 'resp_01',
    object: 'response',
    created_at: 1_790_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: 'maker-1',
    output: [
      { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'gAAAA' },
      {
        id: 'msg_1',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'A book of entries.', annotations: [], logprobs: [] }],
      },
    ],
    parallel_tool_calls: true,
    store: false,
    tools: [],
    usage: USAGE_THERE,
    metadata: {},
  };
  let sequence = 0;
  const eventText = (type: string, data: Fields) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...data })}\n\n`;
  const BEGIN = [
    eventText('response.created', {
      response: { ...RESPONSE, status: 'in_progress', output: [], usage: null },
    }),
    eventText('response.output_item.added', {
      output_index: 0,
      item: { ...RESPONSE.output[1], status: 'in_progress', content: [] },
    }),
    eventText('response.content_part.added', {
      item_id: 'msg_1',
      output_index: 0,
      content_index: 0,
      part: { type: 'output_text', text: '', annotations: [] },
    }),
    ...['A book ', 'of entries.'].map((delta) =>
      eventText('response.output_text.delta', {
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta,
        logprobs: [],
      }),
    ),
  ].join('');
  const streamed = (text: string, isCut = false) =>
    (makersAnswer = (response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      if (isCut) response.write(text, () => response.destroy());
      else response.end(text);
    });
  const expectMakerBilled = async () => {
    const event = await site.onlyEvent(account);
    expect(event).toMatchObject({
      endpoint: 'responses',
      model: NATIVE_MODEL,
      upstream: 'maker',
      input_tokens: 40n,
      output_tokens: 9n,
      estimated: false,
      outcome: 'completed',
    });
    await site.expectCharged(account, costOf(RATES, 40, 9));
    return event;
  };

  it('gets the bytes of the client, but may not store the answer', async () => {
    makersAnswer = (response) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(RESPONSE));
    const body = `{"model":"${NATIVE_MODEL}","input":"h\\u0069", "temperature":1.0,"store":true}`;
    const answered = await site.post('/v1/responses', account.apiKey, body);
    const { usage, ...rest } = (await answered.json()) as { usage: Fields };
    expect(maker.bodies.at(-1)).toBe(body.replace(NATIVE_MODEL, 'maker-1').replace('true', 'false'));
    expect(maker.headers.at(-1)!.authorization).toBe('Bearer sk-maker');
    const { usage: _usage, ...expected } = RESPONSE;
    expect(rest).toEqual(expected);
    const event = await expectMakerBilled();
    expect(usage).toMatchObject({ ...USAGE_THERE, cost: Number(event.cost_picos) / 1e12 });
  });

  it('streams its own events to OpenAI’s SDK, and the last one has the price', async () => {
    streamed(
      BEGIN +
        eventText('response.completed', { response: { ...RESPONSE, usage: { ...USAGE_THERE, cost: 99 } } }),
    );
    const stream = client.responses.stream({ model: NATIVE_MODEL, input: 'What is a ledger?' });
    const { id, output_text, usage } = await stream.finalResponse();
    expect(JSON.parse(maker.bodies.at(-1)!)).toMatchObject({ store: false, stream: true });
    expect([id, output_text]).toEqual(['resp_01', 'A book of entries.']);
    const event = await expectMakerBilled();
    expect(usage).toMatchObject({ ...USAGE_THERE, cost: Number(event.cost_picos) / 1e12 });
  });

  it('is passed on byte for byte up to its last event', async () => {
    const last = eventText('response.completed', { response: RESPONSE });
    streamed(BEGIN + last);
    const body = { model: NATIVE_MODEL, input: 'hi', stream: true };
    const text = await (await site.post('/v1/responses', account.apiKey, body)).text();
    expect(text.startsWith(BEGIN)).toBe(true);
    expect(text.replace(/,"cost":.*?\]\}/, '}')).toBe(BEGIN + last);
    await expectMakerBilled();
  });

  it('may break off: what came is charged, and the client gets an error', async () => {
    streamed(BEGIN, true);
    const body = { model: NATIVE_MODEL, input: 'hi', stream: true };
    const text = await (await site.post('/v1/responses', account.apiKey, body)).text();
    expect(eventsIn(text).slice(-2)).toMatchObject([
      { event: 'error', data: { code: 'upstream_error' } },
      { event: 'response.failed', data: { response: { status: 'failed' } } },
    ]);
    const event = await site.onlyEvent(account);
    expect(event).toMatchObject({ outcome: 'interrupted', estimated: true });
    expect(event.output_tokens).toBeGreaterThan(1n);
    await site.expectCharged(account, event.cost_picos);
  });

  it('is left alone when the client leaves, who pays for what came', async () => {
    let isLeft = false;
    makersAnswer = (response) => {
      response.on('close', () => (isLeft = true));
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(BEGIN);
    };
    const leaving = new AbortController();
    const body = { model: NATIVE_MODEL, input: 'hi', stream: true };
    const response = await site.post('/v1/responses', account.apiKey, body, { signal: leaving.signal });
    await response.body!.getReader().read();
    leaving.abort();
    const event = await site.onlyEvent(account);
    expect(event).toMatchObject({ outcome: 'disconnected', output_tokens: 5n, estimated: true });
    await waitFor(() => isLeft);
    await site.expectCharged(account, event.cost_picos);
  });

  it('is called with chat completions, too', async () => {
    makersAnswer = (response) =>
      response
        .writeHead(200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify(answer({ content: 'A book.' })));
    const body = { model: NATIVE_MODEL, messages: [{ role: 'user' as const, content: 'hi' }] };
    const { choices } = await client.chat.completions.create(body);
    expect(choices[0]!.message.content).toBe('A book.');
    await site.expectCharged(account, costOf(RATES, USAGE.prompt_tokens, USAGE.completion_tokens));
  });
});
