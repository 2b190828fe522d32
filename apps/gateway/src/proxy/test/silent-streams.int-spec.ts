import { type ServerResponse } from 'node:http';
import Anthropic from '@anthropic-ai/sdk';
import { type TestAccount, waitFor } from '@inference/testing';
import { createParser } from 'eventsource-parser';
import OpenAI from 'openai';
import { answer, chunk, usageChunk } from '../../protocols/scripted-chat.fixture';
import {
  costOf,
  eventsOf,
  RATES,
  type ScriptedUpstream,
  startUpstream,
  TestSite,
} from '../../testing/gateway.fixture';

/** Streams whose model is silent for longer than proxies wait. */

const COMMENT = ': keep-alive\n\n';
const PING = 'event: ping\ndata: {"type":"ping"}\n\n';
const STREAM = { 'Content-Type': 'text/event-stream' };
const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
const STREAMED =
  [chunk({ role: 'assistant', content: 'Hello' }), chunk({}, 'stop'), usageChunk()].map(event).join('') +
  'data: [DONE]\n\n';

/** How the upstream of a model answers when it is told to. */
const ANSWERS: Record<string, (response: ServerResponse) => void> = {
  streaming: (response) => void response.writeHead(200, STREAM).end(STREAMED),
  'at-once': (response) =>
    void response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(answer({ content: 'Hello' }))),
  refusing: (response) =>
    void response
      .writeHead(422, { 'Content-Type': 'application/json' })
      .end('{"error":{"message":"Too hot.","code":"too_hot"}}'),
  'refusing-in-html': (response) =>
    void response.writeHead(400, { 'Content-Type': 'text/html' }).end('<p>Bad</p>'),
  failing: (response) => void response.writeHead(500).end('{}'),
};

/** Of a server that speaks Messages itself. */
const NATIVE = [
  {
    type: 'message_start',
    message: { type: 'message', content: [], usage: { input_tokens: 21, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
  { type: 'message_stop' },
].map((data) => `event: ${data.type}\n${event(data)}`);
ANSWERS.speaking = (response) => void response.writeHead(200, STREAM).end(NATIVE.join(''));
ANSWERS['speaking-no'] = (response) =>
  void response
    .writeHead(400, { 'Content-Type': 'application/json' })
    .end('{"type":"error","error":{"type":"invalid_request_error","message":"Too long."}}');
const SPEAKING = ['speaking', 'speaking-no'];
const RESPONSE = { id: 'resp_01', object: 'response', created_at: 1, model: 'm', store: false, output: [] };
const NATIVE_RESPONSE = [
  { type: 'response.created', sequence_number: 0, response: { ...RESPONSE, status: 'in_progress' } },
  { type: 'response.output_text.delta', sequence_number: 1, item_id: 'msg_1', delta: 'Hello' },
  {
    type: 'response.completed',
    sequence_number: 2,
    response: {
      ...RESPONSE,
      status: 'completed',
      usage: { input_tokens: 21, output_tokens: 5, total_tokens: 26 },
    },
  },
].map((data) => `event: ${data.type}\n${event(data)}`);
ANSWERS['speaking-responses'] = (response) =>
  void response.writeHead(200, STREAM).end(NATIVE_RESPONSE.join(''));

/** Its answer comes at once, before a sign of life. */
const PROMPT = 'prompt';

let upstream: ScriptedUpstream;
let site: TestSite;
let account: TestAccount;
let waiting: { model: string; response: ServerResponse }[] = [];

beforeAll(async () => {
  upstream = await startUpstream((_request, response, body) => {
    const { model } = JSON.parse(body) as { model: string };
    if (model === PROMPT) ANSWERS['at-once']!(response);
    else waiting.push({ model, response });
  });
  const models = [...Object.keys(ANSWERS), PROMPT, 'failing-over'];
  site = await TestSite.start(
    Object.fromEntries(models.map((model) => [model, RATES])),
    { STREAM_KEEP_ALIVE_SECONDS: '0.1' },
    () => [
      {
        name: 'first',
        base_url: upstream.url,
        models: {
          ...Object.fromEntries(
            Object.keys(ANSWERS)
              .filter((m) => !m.startsWith('speaking'))
              .map((m) => [m, m]),
          ),
          [PROMPT]: PROMPT,
          'failing-over': 'failing',
        },
      },
      { name: 'speaker', base_url: upstream.url, protocols: ['messages'], models: SPEAKING },
      { name: 'other', base_url: upstream.url, protocols: ['responses'], models: ['speaking-responses'] },
      { name: 'second', base_url: upstream.url, models: { 'failing-over': 'streaming' } },
    ],
  );
});
afterAll(async () => {
  await site.stop();
  await upstream.close();
});
beforeEach(async () => {
  account = await site.account();
  waiting = [];
});

/** Lets the upstream answer what waits. */
async function letAnswer(): Promise<void> {
  const [{ model, response }] = await waitFor(
    async () => waiting.length > 0 && (waiting.splice(0, 1) as [(typeof waiting)[0]]),
  );
  ANSWERS[model]!(response);
}

const BODIES: Record<string, object> = {
  '/v1/chat/completions': { messages: [{ role: 'user', content: 'x' }] },
  '/v1/responses': { input: 'x' },
  '/v1/messages': { max_tokens: 50, messages: [{ role: 'user', content: 'x' }] },
};

/** Sends a stream, waits for signs of life, and returns them and what follows. */
async function silent(path: string, model: string, answers = 1) {
  const response = await site.post(path, account.apiKey, { ...BODIES[path], model, stream: true });
  let text = '';
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const sign = path === '/v1/messages' ? PING : COMMENT;
  while (!text.startsWith(sign.repeat(2))) text += (await reader.read()).value ?? '';
  for (let i = 0; i < answers; i++) await letAnswer();
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  return {
    response,
    rest: text.replaceAll(COMMENT, '').replace(/^(event: ping\ndata: \{"type":"ping"\}\n\n)+/, ''),
  };
}

it.each(Object.keys(BODIES))(
  '%s sends signs of life before the model does, and then what it would have sent',
  async (path) => {
    const { response, rest } = await silent(path, 'streaming');
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ]);
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    expect(rest).toContain('Hello');
    if (path === '/v1/chat/completions')
      expect(rest).toBe(
        [chunk({ role: 'assistant', content: 'Hello' }), chunk({}, 'stop')].map(event).join('') +
          'data: [DONE]\n\n',
      );
    const [{ outcome, cost_picos } = {}] = await eventsOf(site.pool, account.accountId);
    expect([outcome, cost_picos]).toEqual(['completed', costOf(RATES, 21, 5)]);
  },
);

it('a server that speaks the protocol of its client is waited for as well', async () => {
  const { rest } = await silent('/v1/messages', 'speaking');
  expect(rest.startsWith(NATIVE.slice(0, 4).join(''))).toBe(true);
  expect(rest.endsWith(NATIVE.at(-1)!)).toBe(true);
  const { rest: refusal } = await silent('/v1/messages', 'speaking-no');
  expect(refusal).toContain(
    'event: error\ndata: {"type":"error","error":{"type":"invalid_request_error","message":"Too long."',
  );
  const { rest: answered } = await silent('/v1/responses', 'speaking-responses');
  expect(answered.replace(/,"cost":.*?\]\}/, '}')).toBe(NATIVE_RESPONSE.join(''));
  await site.expectCharged(account, 2n * costOf(RATES, 21, 5));
});

it('an answer that comes at once is sent whole, however long it takes to store it', async () => {
  await site.pool.query(
    'UPDATE accounts.accounts SET stores_responses = true, stores_responses_set_at = clock_timestamp() WHERE id = $1',
    [account.accountId],
  );
  const blocking = await site.pool.connect();
  await blocking.query('BEGIN');
  await blocking.query('LOCK TABLE responses.stored IN SHARE MODE');
  const body = { ...BODIES['/v1/responses'], model: PROMPT, stream: true };
  const answered = site.post('/v1/responses', account.apiKey, body).then((response) => response.text());
  await waitFor(async () => (await eventsOf(site.pool, account.accountId)).length === 1);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await blocking.query('COMMIT');
  blocking.release();
  expect(await answered).toContain('event: response.completed');
});

it('a client that leaves meanwhile ends the call of the model', async () => {
  const client = new AbortController();
  const response = await site.post(
    '/v1/chat/completions',
    account.apiKey,
    { ...BODIES['/v1/chat/completions'], model: 'streaming', stream: true },
    { signal: client.signal },
  );
  expect(response.status).toBe(200);
  const { response: upstreamResponse } = await waitFor(() => waiting[0]);
  client.abort();
  await waitFor(async () => upstreamResponse.destroyed);
  expect(await site.onlyEvent(account)).toMatchObject({ outcome: 'disconnected', output_tokens: 0n });
});

it('another upstream still answers for one that fails', async () => {
  const { rest } = await silent('/v1/chat/completions', 'failing-over', 2);
  expect(rest).toContain('Hello');
  expect(await site.onlyEvent(account)).toMatchObject({ upstream: 'second', outcome: 'completed' });
});

it.each([
  ['/v1/chat/completions', 'failing', 'upstream_error'],
  ['/v1/responses', 'failing', 'upstream_error'],
  ['/v1/messages', 'failing', 'upstream_error'],
  ['/v1/chat/completions', 'refusing', 'too_hot'],
  ['/v1/responses', 'refusing', 'too_hot'],
  ['/v1/messages', 'refusing', 'too_hot'],
  ['/v1/chat/completions', 'refusing-in-html', null],
])('%s of the model %s ends with the error %s as an event, and is free', async (path, model, code) => {
  const { response, rest } = await silent(path, model);
  expect(response.status).toBe(200);
  const events: { event?: string | undefined; data: Record<string, unknown> }[] = [];
  createParser({
    onEvent: ({ event: name, data }) =>
      events.push({ event: name, data: JSON.parse(data) as Record<string, unknown> }),
  }).feed(rest);
  const named = events.find(({ data }) => data.error ?? data.code ?? data.type === 'error')!;
  const error = (named.data.error ?? named.data) as Record<string, unknown>;
  expect(error.code ?? null).toBe(code);
  expect(rest).not.toContain('Hello');
  if (path === '/v1/messages') {
    expect([named.event, named.data.type]).toEqual(['error', 'error']);
    // A request that is at fault is not repeated.
    expect(error.type).toBe(model === 'failing' ? 'api_error' : 'invalid_request_error');
  }
  await site.expectCharged(account, 0n);
  const id = response.headers.get('x-request-id');
  const stored = await waitFor(async () => {
    const { rows } = await site.pool.query<object>(
      'SELECT kind, http_status, upstream FROM metering.unserved_calls WHERE account_id = $1 AND request_id = $2',
      [account.accountId, id],
    );
    return rows.length > 0 && rows;
  });
  expect(stored).toEqual([
    { kind: model === 'failing' ? 'failed' : 'refused', http_status: 200, upstream: 'first' },
  ]);
});

it.each(Object.keys(BODIES))('%s makes a stream of an answer that comes at once', async (path) => {
  const { rest } = await silent(path, 'at-once');
  expect(rest).toContain('Hello');
  expect(rest).not.toContain('"message":{"role":"assistant","content":"Hello"}');
  expect(await site.onlyEvent(account)).toMatchObject({ outcome: 'completed' });
});

describe('the SDK', () => {
  const openai = () =>
    new OpenAI({ apiKey: account.apiKey, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 });
  const anthropic = () => new Anthropic({ apiKey: account.apiKey, baseURL: site.gateway.url, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'x' }];
  /** Answers after some signs of life. */
  const late = () => setTimeout(() => void letAnswer(), 400);

  it('of OpenAI reads chat, also an answer that comes at once and an error', async () => {
    for (const model of ['streaming', 'at-once']) {
      late();
      const stream = openai().chat.completions.stream({
        model,
        messages,
        stream_options: { include_usage: true },
      });
      const { choices, usage } = await stream.finalChatCompletion();
      expect([choices[0]!.message.content, usage!.completion_tokens]).toEqual(['Hello', 5]);
    }
    late();
    await expect(
      openai().chat.completions.stream({ model: 'refusing', messages }).done(),
    ).rejects.toMatchObject({ code: 'too_hot' });
  });

  it('of OpenAI reads responses', async () => {
    late();
    const { output_text } = await openai()
      .responses.stream({ model: 'streaming', input: 'x' })
      .finalResponse();
    expect(output_text).toBe('Hello');
  });

  it('of Anthropic reads messages, and an error', async () => {
    late();
    const message = await anthropic()
      .messages.stream({ model: 'streaming', max_tokens: 9, messages })
      .finalMessage();
    expect(message.content).toMatchObject([{ type: 'text', text: 'Hello' }]);
    late();
    await expect(
      anthropic().messages.stream({ model: 'refusing', max_tokens: 9, messages }).done(),
    ).rejects.toThrow(/Too hot/);
  });
});
