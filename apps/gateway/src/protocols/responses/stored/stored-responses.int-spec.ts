import { type ServerResponse } from 'node:http';
import { Database } from '@inference/database';
import { insertApiKey, type TestAccount, waitFor } from '@inference/testing';
import OpenAI from 'openai';
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
} from '../../../testing/gateway.fixture';
import {
  answer,
  chunk,
  eventsIn,
  type Fields,
  ScriptedChat,
  USAGE,
  usageChunk,
} from '../../scripted-chat.fixture';
import { deleteOldResponses, deleteUnwantedResponses } from './stored-responses.repository';

/** Responses that accounts want stored, with OpenAI's SDK, unchanged. */

const MODEL = 'house-model';
/** Of a server that speaks Responses, under another name. */
const NATIVE_MODEL = 'native-model';
const MEBIBYTE = 1024 * 1024;
const COST = costOf(RATES, USAGE.prompt_tokens, USAGE.completion_tokens);
const WEATHER: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: true,
};

let chat: ScriptedChat;
let maker: ScriptedUpstream;
let makersAnswer: (response: ServerResponse) => void;
let site: TestSite;
let second: Gateway;
let account: TestAccount;
let client: OpenAI;

beforeAll(async () => {
  chat = await ScriptedChat.start();
  maker = await startUpstream((_request, response) => makersAnswer(response));
  const upstreams = () => [
    { name: 'chat', base_url: chat.upstream.url, models: [MODEL] },
    {
      name: 'maker',
      base_url: maker.url,
      protocols: ['chat', 'responses'],
      models: { [NATIVE_MODEL]: 'maker-1' },
    },
  ];
  site = await TestSite.start({ [MODEL]: RATES, [NATIVE_MODEL]: RATES }, {}, upstreams);
  second = await startGateway(testEnvironment(site.database.urlFor('gateway'), upstreams()));
});
afterAll(async () => {
  await second.close();
  await site.stop();
  await chat.upstream.close();
  await maker.close();
});
beforeEach(async () => {
  account = await site.account();
  await agree();
  client = clientOf(account.apiKey);
});

const clientOf = (apiKey: string, gateway = site.gateway) =>
  new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 });

/** As the console does it. */
async function agree(agrees = true, { accountId } = account) {
  await site.pool.query(
    'UPDATE accounts.accounts SET stores_responses = $2, stores_responses_set_at = clock_timestamp() WHERE id = $1',
    [accountId, agrees],
  );
}
async function storedIds({ accountId } = account): Promise<string[]> {
  const { rows } = await site.pool.query<{ id: string }>(
    'SELECT id FROM responses.stored WHERE account_id = $1 ORDER BY created_at',
    [accountId],
  );
  return rows.map(({ id }) => id);
}
const say = (content: string, fields: Fields = {}) => {
  chat.next({ json: answer({ content }) });
  return client.responses.create({ model: MODEL, input: 'Hello', ...fields });
};
/** Where no answer is given. */
const goOn = (id: string, by = client) =>
  by.responses.create({ model: MODEL, input: 'x', previous_response_id: id });
const post = (body: Fields, headers: Record<string, string> = {}) =>
  site.post('/v1/responses', account.apiKey, { model: MODEL, input: 'x', ...body }, { headers });
const get = (path: string, apiKey = account.apiKey) =>
  fetch(`${site.gateway.url}/v1/responses/${path}`, { headers: { Authorization: `Bearer ${apiKey}` } });

const notFound = (id: string) => ({
  status: 404,
  type: 'invalid_request_error',
  message: expect.stringContaining(`Response with id '${id}' not found.`),
});
const noPrevious = (id: string) => ({
  status: 400,
  code: 'previous_response_not_found',
  param: 'previous_response_id',
  message: expect.stringContaining(`Previous response with id '${id}' not found.`),
});

describe('without the account’s consent', () => {
  beforeEach(() => agree(false));

  it('nothing is stored, and the answer says so', async () => {
    const { id, store } = (await say('x', { store: true })) as OpenAI.Responses.Response & { store: boolean };
    expect(store).toBe(false);
    await expect(client.responses.retrieve(id)).rejects.toMatchObject(notFound(id));
    expect(await storedIds()).toEqual([]);
  });

  it('a conversation cannot be gone on with, and the error says why', async () => {
    await expect(goOn('resp_1')).rejects.toMatchObject({
      status: 400,
      code: 'invalid_value',
      param: 'previous_response_id',
      message: expect.stringMatching(/settings of the console/),
    });
  });
});

describe('a conversation', () => {
  const call = {
    id: 'call_a',
    type: 'function',
    function: { name: 'weather', arguments: '{"city":"Bern"}' },
  };

  it('goes on from response to response, plain and streamed, through any gateway', async () => {
    chat.next(
      { json: answer({ content: null, reasoning_content: 'Look.', tool_calls: [call] }, 'tool_calls') },
      { chunks: [chunk({ content: 'Seven ' }), chunk({ content: 'degrees.' }, 'stop'), usageChunk()] },
      { json: answer({ content: 'Warm.' }) },
    );
    const first = await client.responses.create({
      model: MODEL,
      instructions: 'Be brief.',
      input: 'How is Bern?',
      tools: [WEATHER],
    });
    const stream = clientOf(account.apiKey, second).responses.stream({
      model: MODEL,
      tools: [WEATHER],
      previous_response_id: first.id,
      input: [{ type: 'function_call_output', call_id: 'call_a', output: '7' }],
    });
    const answered = await stream.finalResponse();
    const third = await client.responses.create({
      model: MODEL,
      previous_response_id: answered.id,
      input: [{ role: 'user', content: 'And \ud83c\udf1e?' }],
      store: false,
    });
    expect(chat.lastBody.messages).toEqual([
      { role: 'user', content: 'How is Bern?' },
      { role: 'assistant', content: null, reasoning_content: 'Look.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_a', content: '7' },
      { role: 'assistant', content: 'Seven degrees.' },
      { role: 'user', content: 'And \ud83c\udf1e?' },
    ]);
    expect([first, answered, third]).toMatchObject([
      { store: true, previous_response_id: null },
      { store: true, previous_response_id: first.id },
      { store: false, previous_response_id: answered.id },
    ]);
    expect(await storedIds()).toEqual([first.id, answered.id]);
    const { output_text: _text, ...expected } = first;
    expect(await client.responses.retrieve(first.id)).toMatchObject(expected);
    expect(await client.responses.retrieve(answered.id)).toMatchObject({
      output_text: 'Seven degrees.',
      store: true,
    });
    await site.expectCharged(account, 3n * COST);
    // What it cost is told as it was then, streamed or not.
    for (const { id, usage } of [first, answered]) {
      expect(usage).toMatchObject({ cost: Number(COST) / 1e12 });
      expect((await client.responses.retrieve(id)).usage).toEqual(usage);
    }

    const items: OpenAI.Responses.ResponseItem[] = [];
    for await (const item of client.responses.inputItems.list(answered.id, { limit: 2, order: 'asc' }))
      items.push(item);
    const [reasoning, called] = first.output;
    expect(items).toMatchObject([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'How is Bern?' }] },
      reasoning!,
      called!,
      { type: 'function_call_output', call_id: 'call_a', output: '7' },
    ]);
    expect(new Set(items.map(({ id }) => id)).size).toBe(4);
    const latest = await client.responses.inputItems.list(answered.id, {
      include: ['reasoning.encrypted_content'],
    });
    expect(latest.data).toEqual(items.toReversed());

    const cancelling = client.responses.cancel(first.id);
    await expect(cancelling).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/synchronous/),
    });
    await client.responses.delete(first.id);
    await expect(client.responses.retrieve(first.id)).rejects.toMatchObject(notFound(first.id));
    await expect(client.responses.cancel(first.id)).rejects.toMatchObject(notFound(first.id));
    await expect(client.responses.delete(first.id)).rejects.toMatchObject(notFound(first.id));
    await expect(goOn(answered.id)).rejects.toMatchObject(noPrevious(first.id));
    expect((await client.responses.inputItems.list(answered.id)).data).toHaveLength(1);
  });

  it('is paid for as input: what was said before counts when money is held', async () => {
    const text = 'x'.repeat(60_000);
    const poor = await site.account(12n * 10n ** 9n);
    await agree(true, poor);
    client = clientOf(poor.apiKey);
    const { id } = await say('y', { input: text, max_output_tokens: 16 });
    const going = client.responses.create({
      model: MODEL,
      input: text,
      previous_response_id: id,
      max_output_tokens: 16,
    });
    await expect(going).rejects.toMatchObject({ status: 402 });
  });

  it('has nothing of a call that is refused with 429, and goes on afterwards', async () => {
    const key = await insertApiKey(site.pool, account.accountId);
    await site.pool.query(
      `UPDATE accounts.api_keys SET requests_per_minute = 1 WHERE id = '${key.apiKeyId}'`,
    );
    client = clientOf(key.apiKey);
    const first = await say('A.');
    const tooMany = { status: 429, code: 'rate_limit_exceeded' };
    await expect(goOn(first.id)).rejects.toMatchObject(tooMany);
    // By the server of the model.
    const error = { message: 'Slow down.', type: 'rate_limit_error', param: null, code: 'slow' };
    chat.next({ json: { error }, status: 429 }, { chunks: [chunk({ content: 'Hm' })], isHanging: true });
    const refused = await post({ previous_response_id: first.id });
    expect([refused.status, await refused.json()]).toEqual([429, { error }]);
    // For want of memory, of which another call takes half.
    await site.pool.query(`UPDATE responses.stored SET bytes = ${16 * MEBIBYTE} WHERE id = '${first.id}'`);
    const hanging = await post({ previous_response_id: first.id, stream: true });
    await expect(goOn(first.id, clientOf(account.apiKey))).rejects.toMatchObject(tooMany);
    await hanging.body!.cancel();
    client = clientOf(account.apiKey, second);
    const { id } = await say('B.', { previous_response_id: first.id, input: 'y' });
    expect(chat.lastBody.messages).toMatchObject([{ content: 'Hello' }, { content: 'A.' }, { content: 'y' }]);
    expect(await storedIds()).toEqual([first.id, id]);
  });

  it('names faults by their place in the request', async () => {
    const { id } = await say('x');
    const going = post({ previous_response_id: id, input: [{ role: 'tool', content: 'x' }] });
    expect(await (await going).json()).toMatchObject({ error: { param: 'input.0.role' } });
  });

  it('is stored once for an idempotency key, and the repeated answer says so', async () => {
    chat.next({ json: answer({ content: 'once' }) });
    const [first, again] = [
      await post({}, { 'Idempotency-Key': 'k' }),
      await post({}, { 'Idempotency-Key': 'k' }),
    ];
    const text = await first.text();
    expect([await again.text(), again.headers.get('idempotent-replayed')]).toEqual([text, 'true']);
    expect(await (await get((await storedIds())[0]!)).text()).toBe(text);
    expect(await storedIds()).toHaveLength(1);
  });
});

describe('a server that speaks Responses', () => {
  const OUTPUT = [
    {
      id: 'rs_1',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      encrypted_content: 'gAAAA',
    },
    { id: 'rs_2', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Yes.' }] },
    { id: 'ws_1', type: 'web_search_call', status: 'completed' },
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'A.', annotations: [] }],
    },
  ];
  const response = (id: string) => ({
    ...{ id, object: 'response', created_at: 1, status: 'completed', model: 'maker-1', output: OUTPUT },
    ...{ store: false, previous_response_id: null },
    usage: { input_tokens: 21, output_tokens: 5, total_tokens: 26 },
  });
  const json = (id: string) => {
    makersAnswer = (sent) =>
      sent.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(response(id)));
  };

  it('gets the conversation instead of its id, and every other byte as it was', async () => {
    json('resp_a');
    const begun = await site.post(
      '/v1/responses',
      account.apiKey,
      `{"model":"${NATIVE_MODEL}","input":"h\\u0069"}`,
    );
    expect(await begun.json()).toMatchObject({ id: 'resp_a', store: true, output: OUTPUT });
    json('resp_b');
    const body = `{"model":"${NATIVE_MODEL}", "input":[ {"role":"user","content":"1.0"} ],"previous_response_id":"resp_a","temperature":1.0,"store":true}`;
    const gone = await site.post('/v1/responses', account.apiKey, body);
    expect(await gone.json()).toMatchObject({ id: 'resp_b', store: true, previous_response_id: 'resp_a' });
    const [encrypted, , search, message] = OUTPUT.map((item) => JSON.stringify(item));
    const before = `{"type":"message","role":"user","content":"h\\u0069"},${encrypted},${search},${message}`;
    expect(maker.bodies.at(-1)).toBe(
      body
        .replace(NATIVE_MODEL, 'maker-1')
        .replace('[ {', `[${before}, {`)
        .replace('"resp_a"', 'null')
        .replace('"store":true', '"store":false'),
    );
    await site.expectCharged(account, 2n * COST);
    // A chat server gets what it can read of it.
    await say('x', { previous_response_id: 'resp_b', input: 'y' });
    expect(chat.lastBody.messages).toEqual([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'A.', reasoning_content: 'Hm.Yes.' },
      { role: 'user', content: '1.0' },
      { role: 'assistant', content: 'A.', reasoning_content: 'Hm.Yes.' },
      { role: 'user', content: 'y' },
    ]);
  });

  it('streams, and only the last event is changed', async () => {
    const created = `event: response.created\ndata: ${JSON.stringify({ type: 'response.created', sequence_number: 0, response: response('resp_s') })}\n\n`;
    const delta =
      'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":1,"delta":"A."}\n\n';
    makersAnswer = (sent) =>
      sent
        .writeHead(200, { 'Content-Type': 'text/event-stream' })
        .end(
          `${created}${delta}event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', sequence_number: 2, response: response('resp_s') })}\n\n`,
        );
    const text = await (await post({ model: NATIVE_MODEL, stream: true })).text();
    expect(text.startsWith(created + delta)).toBe(true);
    const { data } = eventsIn(text).at(-1)!;
    expect(data.response).toMatchObject({ store: true });
    expect(await (await get('resp_s')).json()).toEqual(data.response);
  });

  it('is not stored if the owner changes the setting while the model works', async () => {
    makersAnswer = (sent) =>
      void agree(false).then(() =>
        sent
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(JSON.stringify(response('resp_late'))),
      );
    const late = await post({ model: NATIVE_MODEL });
    expect([late.headers.get('x-not-stored'), ((await late.json()) as Fields).store]).toEqual([
      'unwanted',
      false,
    ]);
    expect(await storedIds()).toEqual([]);
  });

  it('may give one id twice: only the first response is stored', async () => {
    json('resp_same');
    expect(await (await post({ model: NATIVE_MODEL })).json()).toMatchObject({ store: true });
    const again = await post({ model: NATIVE_MODEL });
    expect([again.headers.get('x-not-stored'), ((await again.json()) as Fields).store]).toEqual([
      'unwanted',
      false,
    ]);
  });
});

it('belongs to its account, and a restricted key sees only what it made itself', async () => {
  const restricted = await insertApiKey(site.pool, account.accountId, { allowedModels: [MODEL] });
  const other = await site.account();
  await agree(true, other);
  const { id } = await say('x');
  for (const { apiKey } of [other, restricted]) {
    const stranger = clientOf(apiKey);
    await expect(stranger.responses.retrieve(id)).rejects.toMatchObject(notFound(id));
    await expect(stranger.responses.inputItems.list(id)).rejects.toMatchObject(notFound(id));
    await expect(stranger.responses.cancel(id)).rejects.toMatchObject(notFound(id));
    await expect(stranger.responses.delete(id)).rejects.toMatchObject(notFound(id));
    await expect(goOn(id, stranger)).rejects.toMatchObject(noPrevious(id));
  }
  const owner = client;
  client = clientOf(restricted.apiKey);
  const { id: own } = await say('y');
  expect((await client.responses.retrieve(own)).id).toBe(own);
  expect((await owner.responses.retrieve(own)).id).toBe(own);
  expect(await storedIds()).toEqual([id, own]);
});

it('is gone after 30 days, and when the account does not want it any more', async () => {
  const database = site.gateway.app.get(Database);
  const { id: old } = await say('old');
  const { id } = await say('new', { previous_response_id: old });
  await site.pool.query(
    "UPDATE responses.stored SET created_at = created_at - interval '30 days' WHERE id = $1",
    [old],
  );
  await site.pool.query(
    "UPDATE accounts.accounts SET stores_responses_set_at = now() - interval '40 days' WHERE id = $1",
    [account.accountId],
  );
  await expect(client.responses.retrieve(old)).rejects.toMatchObject(notFound(old));
  await expect(goOn(id)).rejects.toMatchObject(noPrevious(old));
  await deleteOldResponses(database);
  expect(await storedIds()).toEqual([id]);
  await deleteUnwantedResponses(database);
  expect(await storedIds()).toEqual([id]);
  await agree(false);
  await expect(client.responses.retrieve(id)).rejects.toMatchObject(notFound(id));
  // What was stored before does not come back.
  await agree();
  await expect(client.responses.retrieve(id)).rejects.toMatchObject(notFound(id));
  await deleteUnwantedResponses(database);
  expect(await storedIds()).toEqual([]);
});

it('is not stored if it is too large, and cannot be gone on from after too much', async () => {
  const large = 'x'.repeat(8 * MEBIBYTE);
  chat.next({ json: answer({ content: 'x' }) }, { json: answer({ content: large }) });
  for (const input of [large, 'x']) {
    const response = await post({ input });
    expect([response.status, response.headers.get('x-not-stored')]).toEqual([200, 'too_large']);
    expect(await response.json()).toMatchObject({ store: false });
  }
  expect(await storedIds()).toEqual([]);
  const { id } = await say('x');
  await site.pool.query('UPDATE responses.stored SET bytes = $2 WHERE id = $1', [id, 17 * MEBIBYTE]);
  await expect(goOn(id)).rejects.toMatchObject({
    ...{ status: 400, code: 'invalid_value', param: 'previous_response_id' },
    message: expect.stringMatching(/16 MiB/),
  });
});

it('is not stored if its account has stored too much', async () => {
  await site.pool.query(
    `INSERT INTO responses.stored (account_id, id, input, response, bytes)
     SELECT $1, 'resp_' || n, '', '', 2147483647 FROM generate_series(1, 2) n`,
    [account.accountId],
  );
  chat.next({ json: answer({ content: 'x' }) });
  const response = await post({ input: 'x' });
  expect([response.status, response.headers.get('x-not-stored')]).toEqual([200, 'account_full']);
  expect(await response.json()).toMatchObject({ store: false });
  expect(await storedIds()).toHaveLength(2);
});

it('is answered and charged if it cannot be stored', async () => {
  await site.pool.query('ALTER TABLE responses.stored RENAME TO lost');
  try {
    chat.next(
      { json: answer({ content: 'x' }) },
      { chunks: [chunk({ content: 'x' }, 'stop'), usageChunk()] },
    );
    const plain = await post({});
    expect([plain.status, plain.headers.get('x-not-stored')]).toEqual([200, 'failed']);
    expect(await plain.json()).toMatchObject({ store: false, status: 'completed' });
    const streamed = eventsIn(await (await post({ stream: true })).text()).at(-1)!;
    expect(streamed).toMatchObject({ event: 'response.completed', data: { response: { store: false } } });
  } finally {
    await site.pool.query('ALTER TABLE responses.lost RENAME TO stored');
  }
  await site.expectCharged(account, 2n * COST);
});

it('is stored as it ended: cut off or failed, but not if its client has left', async () => {
  chat.next(
    { json: answer({ content: 'x' }, 'length') },
    { chunks: [chunk({ content: 'Half' })], isCut: true },
    { chunks: [chunk({ content: 'Half' })], isHanging: true },
  );
  const cut = (await (await post({})).json()) as Fields;
  expect(await client.responses.retrieve(cut.id as string)).toMatchObject({
    status: 'incomplete',
    store: true,
  });
  const { data } = eventsIn(await (await post({ stream: true })).text()).at(-1)!;
  const failed = (data.response as Fields).id as string;
  expect(await client.responses.retrieve(failed)).toMatchObject({ status: 'failed', store: true });
  const leaving = new AbortController();
  const left = await site.post(
    '/v1/responses',
    account.apiKey,
    { model: MODEL, input: 'x', stream: true },
    { signal: leaving.signal },
  );
  await left.body!.getReader().read();
  leaving.abort();
  await waitFor(async () => (await eventsOf(site.pool, account.accountId)).length === 3);
  // Charged later, so stored later.
  const { id: after } = await say('x');
  expect(await storedIds()).toEqual([cut.id, failed, after]);
});

it('is out of reach while its account is suspended', async () => {
  const { id } = await say('x');
  await site.pool.query('UPDATE accounts.accounts SET suspended_at = now() WHERE id = $1', [
    account.accountId,
  ]);
  expect((await waitFor(async () => (await get(id)).status !== 200 && get(id))).status).toBe(403);
  await site.pool.query('UPDATE accounts.accounts SET suspended_at = NULL WHERE id = $1', [
    account.accountId,
  ]);
  expect((await waitFor(async () => (await get(id)).status === 200 && get(id))).status).toBe(200);
});

it.each([
  ['?stream=true', 'stream'],
  ['?include[]=nonsense', 'include.0'],
  ['/input_items?limit=0', 'limit'],
  ['/input_items?order=up', 'order'],
  ['/input_items?after=nonsense', 'after'],
])('refuses %s', async (query, param) => {
  const { id } = await say('x');
  const response = await get(id + query);
  expect([response.status, ((await response.json()) as { error: Fields }).error.param]).toEqual([400, param]);
});

it.each([
  ['unknown', 'resp_unknown'],
  ['that nothing has', '%F0%9F%8C%9E'],
  ['too long', 'x'.repeat(500)],
])('is 404 for an id %s', async (_what, id) => {
  for (const path of [id, `${id}/input_items`]) expect((await get(path)).status).toBe(404);
});
