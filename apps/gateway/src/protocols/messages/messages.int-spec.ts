import Anthropic from '@anthropic-ai/sdk';
import { insertApiKey, type TestAccount, waitFor } from '@inference/testing';
import { costOf, RATES, TestSite } from '../../testing/gateway.fixture';
import {
  answer,
  chunk,
  eventsIn,
  type Fields,
  ScriptedChat,
  USAGE,
  usageChunk,
} from '../scripted-chat.fixture';

/** Anthropic's SDK, unchanged, against a chat server whose answers are scripted. */

const MODEL = 'house-model';
const OTHER_MODEL = 'other-model';
const QUESTION = { role: 'user' as const, content: 'What is a ledger?' };
const WEATHER: Anthropic.Tool = {
  name: 'weather',
  description: 'Tells the weather.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const REQUEST = { model: MODEL, max_tokens: 50, messages: [QUESTION] };

let chat: ScriptedChat;
let site: TestSite;
let account: TestAccount;
let client: Anthropic;

beforeAll(async () => {
  chat = await ScriptedChat.start();
  site = await TestSite.start({ [MODEL]: RATES, [OTHER_MODEL]: RATES }, {}, () => [
    { name: 'chat', base_url: chat.upstream.url },
  ]);
});
afterAll(async () => {
  await site.stop();
  await chat.upstream.close();
});
beforeEach(async () => {
  account = await site.account();
  client = new Anthropic({ apiKey: account.apiKey, baseURL: site.gateway.url, maxRetries: 0 });
});

const expectBilled = async (usage = USAGE) => {
  const event = await site.onlyEvent(account);
  expect(event).toMatchObject({
    endpoint: 'messages',
    model: MODEL,
    input_tokens: BigInt(usage.prompt_tokens),
    output_tokens: BigInt(usage.completion_tokens),
    estimated: false,
    outcome: 'completed',
  });
  await site.expectCharged(account, costOf(RATES, usage.prompt_tokens, usage.completion_tokens));
  return event;
};

it('answers a message', async () => {
  chat.next({ json: answer({ content: 'A book of entries.' }) });
  const { data, response } = await client.messages.create(REQUEST).withResponse();
  expect(data).toMatchObject({
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: [{ type: 'text', text: 'A book of entries.' }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 21, output_tokens: 5, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  });
  expect(chat.lastBody).toEqual({
    model: MODEL,
    messages: [{ role: 'user', content: 'What is a ledger?' }],
    max_tokens: 50,
  });
  const event = await expectBilled();
  expect(response.headers.get('x-inference-request-id')).toBe(event.request_id);
  expect(data.id).toBe(event.request_id.replace('req_', 'msg_'));
});

it('streams a message with a thought, a text and a call', async () => {
  chat.next({
    chunks: [
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Let me ' }),
      chunk({ reasoning_content: 'look.' }),
      chunk({ content: 'I look ' }),
      chunk({ content: 'it up.' }),
      chunk({
        tool_calls: [
          { index: 0, id: 'call_a', type: 'function', function: { name: 'weather', arguments: '' } },
        ],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Bern"}' } }] }),
      chunk({}, 'tool_calls'),
      usageChunk(),
    ],
  });
  const stream = client.messages.stream({ ...REQUEST, tools: [WEATHER] });
  const kinds: string[] = [];
  stream.on('streamEvent', ({ type }) => kinds.push(type));
  const message = await stream.finalMessage();
  expect(message).toMatchObject({
    content: [
      { type: 'thinking', thinking: 'Let me look.' },
      { type: 'text', text: 'I look it up.' },
      { type: 'tool_use', id: 'call_a', name: 'weather', input: { city: 'Bern' } },
    ],
    stop_reason: 'tool_use',
    usage: { input_tokens: 21, output_tokens: 5 },
  });
  expect(kinds).toEqual([
    'message_start',
    ...[
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
    ],
    ...['content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
    ...['content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
    'message_delta',
    'message_stop',
  ]);
  expect(chat.lastBody).toMatchObject({
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: 'function', function: { name: 'weather', parameters: WEATHER.input_schema } }],
  });
  await expectBilled();
});

it('tells cached, written and thought tokens apart, and the cost', async () => {
  const usage = {
    ...USAGE,
    prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 2 },
    // What the upstream charges, which no customer sees.
    cost: 0.5,
  };
  const expected = {
    input_tokens: 10,
    cache_read_input_tokens: 8,
    cache_creation_input_tokens: 3,
    output_tokens: 5,
    output_tokens_details: { thinking_tokens: 2 },
    cost: 0.00000615,
    cost_details: ['input', 'cached_input', 'cache_write', 'output', 'reasoning'].map((meter) =>
      expect.objectContaining({ meter }),
    ),
  };
  chat.next(
    { json: answer({ content: 'x' }, 'stop', usage) },
    { chunks: [chunk({ content: 'x' }, 'stop'), usageChunk(usage)] },
  );
  expect((await client.messages.create(REQUEST)).usage).toEqual(expected);
  const events = eventsIn(
    await (await site.post('/v1/messages', account.apiKey, { ...REQUEST, stream: true })).text(),
  );
  expect(events.find(({ event }) => event === 'message_delta')!.data.usage).toEqual(expected);
});

it('goes on after the result of a tool', async () => {
  const call = {
    id: 'call_a',
    type: 'function',
    function: { name: 'weather', arguments: '{"city":"Bern","id":9007199254740993}' },
  };
  chat.next(
    { json: answer({ content: null, tool_calls: [call] }, 'stop') },
    { json: answer({ content: 'Seven degrees.' }) },
  );
  const first = await client.messages.create({ ...REQUEST, tools: [WEATHER] });
  expect(first).toMatchObject({
    stop_reason: 'tool_use',
    content: [{ type: 'tool_use', id: 'call_a', name: 'weather' }],
  });
  const second = await client.messages.create({
    ...REQUEST,
    tools: [WEATHER],
    messages: [
      QUESTION,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_a', content: '7' }] },
    ],
  });
  expect(second.content).toMatchObject([{ type: 'text', text: 'Seven degrees.' }]);
  expect(chat.lastBody.messages).toMatchObject([
    {},
    { role: 'assistant', tool_calls: [{ id: 'call_a' }] },
    { role: 'tool', content: '7' },
  ]);
});

it('keeps every digit of the arguments of a call', async () => {
  const call = { id: 'c', function: { name: 'weather', arguments: '{"id":9007199254740993,"x":1.0}' } };
  chat.next({ json: answer({ tool_calls: [call] }, 'tool_calls') });
  const response = await site.post('/v1/messages', account.apiKey, REQUEST);
  expect(await response.text()).toContain('"input":{"id":9007199254740993,"x":1.0}');
});

it.each<[string, Fields, Fields]>([
  ['max_tokens', {}, { finish_reason: 'length' }],
  ['refusal', {}, { finish_reason: 'content_filter' }],
  ['refusal', { refusal: 'No.' }, { finish_reason: 'stop' }],
  ['stop_sequence', {}, { finish_reason: 'stop', stop_reason: 'END' }],
  ['stop_sequence', {}, { finish_reason: 'stop', matched_stop: 'END' }],
  ['end_turn', {}, { finish_reason: 'stop', stop_reason: 151645 }],
  ['end_turn', {}, { finish_reason: 'unheard-of' }],
])('says %s for %j %j', async (reason, delta, choice) => {
  chat.next({ chunks: [chunk({ content: 'x', ...delta }), chunk({}, null, choice), usageChunk()] });
  const message = await client.messages.stream({ ...REQUEST, stop_sequences: ['END'] }).finalMessage();
  expect([message.stop_reason, message.stop_sequence]).toEqual([
    reason,
    reason === 'stop_sequence' ? 'END' : null,
  ]);
});

it('streams what a server answers at once', async () => {
  chat.next({ json: answer({ content: 'At once.' }) });
  const message = await client.messages.stream(REQUEST).finalMessage();
  expect(message).toMatchObject({
    content: [{ text: 'At once.' }],
    usage: { input_tokens: 21, output_tokens: 5 },
  });
  await expectBilled();
});

it('counts tokens without a charge', async () => {
  const { input_tokens: few } = await client.messages.countTokens({ model: MODEL, messages: [QUESTION] });
  const { input_tokens: many } = await client.messages.countTokens({
    model: MODEL,
    messages: [QUESTION],
    system: 'Answer like a bookkeeper of the old school.',
    tools: [WEATHER],
  });
  expect(few).toBeGreaterThan(4);
  expect(many).toBeGreaterThan(few + 10);
  await site.expectCharged(account, 0n);
});

it('lists models, page by page, and shows one', async () => {
  const first = await client.models.list({ limit: 1 });
  expect(first.data).toEqual([
    { type: 'model', id: MODEL, display_name: MODEL, created_at: expect.stringMatching(/Z$/) },
  ]);
  const ids: string[] = [];
  for await (const { id } of client.models.list({ limit: 1 })) ids.push(id);
  expect(ids).toEqual([MODEL, OTHER_MODEL]);
  const behind = await client.models.list({ after_id: MODEL });
  const before = await client.models.list({ before_id: OTHER_MODEL });
  expect([behind, before].map(({ data }) => data.map(({ id }) => id))).toEqual([[OTHER_MODEL], [MODEL]]);
  expect(await client.models.retrieve(MODEL)).toMatchObject({ type: 'model', id: MODEL });
  await expect(client.models.retrieve('unknown')).rejects.toMatchObject({
    status: 404,
    type: 'not_found_error',
  });
  await expect(client.models.list({ limit: 0 })).rejects.toMatchObject({
    status: 400,
    type: 'invalid_request_error',
  });
});

it('answers HEAD /', async () => {
  expect((await fetch(`${site.gateway.url}/`, { method: 'HEAD' })).status).toBe(200);
});

describe('errors in Anthropic’s body:', () => {
  it('401 for an unknown key', async () => {
    const stranger = new Anthropic({ apiKey: 'bfvk-unknown', baseURL: site.gateway.url, maxRetries: 0 });
    await expect(stranger.messages.create(REQUEST)).rejects.toMatchObject({
      status: 401,
      type: 'authentication_error',
      errorCode: 'invalid_api_key',
    });
  });

  it('400 that names the field', async () => {
    await expect(client.messages.create({ ...REQUEST, max_tokens: 0 })).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      apiMessage: 'max_tokens: must be an integer of at least 1',
      error: { error: { param: 'max_tokens', code: 'invalid_value' } },
    });
  });

  it('400 for a kept conversation, after which the SDK sends all messages', async () => {
    chat.next({ json: answer({ content: 'Hello.' }) });
    const thread = client.beta.messages.thread({ model: MODEL, max_tokens: 50 });
    await expect(thread.send(QUESTION)).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      errorCode: 'thread_unsupported_request',
    });
    const lenient = client.beta.messages.thread({
      model: MODEL,
      max_tokens: 50,
      unsupportedRequestBehavior: 'continue_unthreaded',
    });
    expect((await lenient.send(QUESTION)).content).toMatchObject([{ text: 'Hello.' }]);
  });

  it.each(['{', '[]', '', '['.repeat(200)])('400 for the body %j', async (body) => {
    const response = await site.post('/v1/messages', account.apiKey, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });

  it('404 for an unknown model, which is in the log of calls', async () => {
    const failure = await client.messages
      .create({ ...REQUEST, model: 'unknown' })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ status: 404, type: 'not_found_error', errorCode: 'model_not_found' });
    const { request_id: id } = (failure as { error: { request_id: string } }).error;
    const row = await waitFor(async () => {
      const { rows } = await site.pool.query<Fields>(
        'SELECT endpoint, model, http_status, error_code FROM metering.unserved_calls WHERE account_id = $1 AND request_id = $2',
        [account.accountId, id],
      );
      return rows[0];
    });
    expect(row).toEqual({
      endpoint: 'messages',
      model: 'unknown',
      http_status: 404,
      error_code: 'model_not_found',
    });
  });

  it('403 for a model that the key may not use', async () => {
    const { apiKey } = await insertApiKey(site.pool, account.accountId, { allowedModels: [] });
    const limited = new Anthropic({ apiKey, baseURL: site.gateway.url, maxRetries: 0 });
    const refused = { status: 403, type: 'permission_error' };
    await expect(limited.messages.create(REQUEST)).rejects.toMatchObject(refused);
    await expect(limited.messages.countTokens({ model: MODEL, messages: [QUESTION] })).rejects.toMatchObject(
      refused,
    );
  });

  it('402 with the page to top up', async () => {
    const poor = await site.account(1n);
    const failure: unknown = await new Anthropic({
      apiKey: poor.apiKey,
      baseURL: site.gateway.url,
      maxRetries: 0,
    }).messages
      .create(REQUEST)
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({
      status: 402,
      error: {
        error: {
          type: 'billing_error',
          details: {
            error_code: 'insufficient_balance',
            currency: 'USD',
            top_up_url: expect.stringMatching(/^https:\/\/console\.test\/top-up\?amount=/),
          },
        },
      },
    });
  });

  it('the refusal of a chat server with its status and message', async () => {
    chat.next({
      json: { error: { message: 'too long', code: 'context_length_exceeded' } },
      status: 422,
      headers: { 'Retry-After': '7' },
    });
    const response = await site.post('/v1/messages', account.apiKey, REQUEST);
    expect([response.status, response.headers.get('retry-after')]).toEqual([422, '7']);
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'too long',
        details: { error_code: 'context_length_exceeded' },
      },
    });
    await site.expectCharged(account, 0n);
  });

  it('502 if no server answers', async () => {
    chat.next({ json: { error: 'broken' }, status: 500 });
    await expect(client.messages.create(REQUEST)).rejects.toMatchObject({
      status: 502,
      type: 'api_error',
      errorCode: 'upstream_error',
    });
  });
});

describe('a stream that breaks off', () => {
  const stream = (body: Fields = {}) =>
    site.post('/v1/messages', account.apiKey, { ...REQUEST, stream: true, ...body });

  it('ends with an error event, and what was produced is charged', async () => {
    chat.next({ chunks: [chunk({ content: 'Half an ' })], isCut: true });
    const events = eventsIn(await (await stream()).text());
    expect(events.map(({ event }) => event)).toEqual([
      ...['message_start', 'ping', 'content_block_start', 'content_block_delta', 'error'],
    ]);
    expect(events.at(-1)!.data).toMatchObject({
      type: 'error',
      error: { type: 'api_error', details: { error_code: 'upstream_error' } },
    });
    expect(await site.onlyEvent(account)).toMatchObject({
      endpoint: 'messages',
      outcome: 'interrupted',
      estimated: true,
    });
  });

  it('rejects in the SDK', async () => {
    chat.next({ chunks: [chunk({ content: 'Half an ' })], isCut: true });
    await expect(client.messages.stream(REQUEST).finalMessage()).rejects.toMatchObject({ type: 'api_error' });
  });

  it('passes on the error that the server sends, once', async () => {
    chat.next({ chunks: [chunk({ content: 'x' }), { error: { message: 'out of memory', code: 500 } }] });
    const events = eventsIn(await (await stream()).text());
    expect(events.filter(({ event }) => event === 'error')).toEqual([
      {
        event: 'error',
        data: expect.objectContaining({
          error: { type: 'api_error', message: 'out of memory', param: null, code: null },
        }),
      },
    ]);
    expect(events.at(-1)!.event).toBe('error');
  });

  it('is charged for what was produced when the client leaves', async () => {
    chat.next({ chunks: [chunk({ content: 'Half an ' }), chunk({ content: 'answer' })], isHanging: true });
    const response = await stream();
    const reader = response.body!.getReader();
    await reader.read();
    await reader.cancel();
    const event = await site.onlyEvent(account);
    expect(event).toMatchObject({ endpoint: 'messages', outcome: 'disconnected', estimated: true });
    expect(event.output_tokens).toBeGreaterThan(0n);
  });
});

it('names in a header what it has left out', async () => {
  chat.next({ json: answer({ content: 'x' }) });
  const { response } = await client.messages
    .create({ ...REQUEST, metadata: { user_id: 'u' } })
    .withResponse();
  expect(response.headers.get('x-ignored-fields')).toBe('metadata');
});

it('takes the entrypoint of the client', async () => {
  chat.next({ json: answer({ content: 'x' }) });
  await client.messages.create(REQUEST, { headers: { 'X-Entrypoint': 'editor' } });
  expect(await site.onlyEvent(account)).toMatchObject({ entrypoint: 'editor' });
  const refused = client.messages.create(REQUEST, { headers: { 'X-Entrypoint': 'memo' } });
  await expect(refused).rejects.toMatchObject({ status: 403, type: 'permission_error' });
});
