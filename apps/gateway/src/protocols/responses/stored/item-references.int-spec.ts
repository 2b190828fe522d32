import { insertApiKey, type TestAccount } from '@inference/testing';
import { type ServerResponse } from 'node:http';
import OpenAI from 'openai';
import {
  costOf,
  RATES,
  type ScriptedUpstream,
  startUpstream,
  TestSite,
} from '../../../testing/gateway.fixture';
import { answer, type Fields, ScriptedChat, USAGE } from '../../scripted-chat.fixture';

/** Requests that refer to items of stored responses by their ids, as the AI SDK does. */

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
  await agree();
  client = clientOf(account.apiKey);
});

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 });
/** As the console does it. */
async function agree(agrees = true, { accountId } = account) {
  await site.pool.query(
    'UPDATE accounts.accounts SET stores_responses = $2, stores_responses_set_at = clock_timestamp() WHERE id = $1',
    [accountId, agrees],
  );
}
const say = (content: string, fields: Fields = {}) => {
  chat.next({ json: answer({ content }) });
  return client.responses.create({ model: MODEL, input: 'Hello', ...fields });
};
const post = (body: Fields) =>
  site.post('/v1/responses', account.apiKey, { model: MODEL, input: 'x', ...body });

const refer = (...ids: string[]) => ids.map((id) => ({ type: 'item_reference' as const, id }));
const itemNotFound = (id: string) => ({
  ...{ status: 404, code: 'item_not_found', type: 'invalid_request_error', param: 'input' },
  message: expect.stringContaining(`Item with id '${id}' not found.`),
});
const call = { id: 'call_a', type: 'function', function: { name: 'weather', arguments: '{}' } };
/** A response with a thought and a call, and the ids of these. */
async function thoughtAndCall(): Promise<[id: string, thought: string, called: string]> {
  chat.next({
    json: answer({ content: null, reasoning_content: 'Look.', tool_calls: [call] }, 'tool_calls'),
  });
  const { id, output } = await client.responses.create({
    model: MODEL,
    input: 'Bern?',
    tools: [WEATHER],
    include: ['reasoning.encrypted_content'],
  });
  return [id, output[0]!.id!, output[1]!.id!];
}
const result = { type: 'function_call_output' as const, call_id: 'call_a', output: '7' };
const BEFORE = [
  { role: 'user', content: 'Bern?' },
  { role: 'assistant', content: null, reasoning_content: 'Look.', tool_calls: [call] },
  { role: 'tool', tool_call_id: 'call_a', content: '7' },
];

it('puts items of answers and of requests into their places, and is stored with its references', async () => {
  const [id, thought, called] = await thoughtAndCall();
  const listed = await client.responses.inputItems.list(id);
  const asked = listed.data[0]!.id!;
  const input = [...refer(asked, thought, called), result];
  const second = await say('Warm.', { input });
  expect(chat.lastBody.messages).toEqual(BEFORE);
  const items = await client.responses.inputItems.list(second.id, { order: 'asc' });
  expect(items.data).toMatchObject([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Bern?' }] },
    { id: thought, type: 'reasoning' },
    { id: called, type: 'function_call', name: 'weather' },
    result,
  ]);
  // What goes on from it later has them, too. A type may be absent.
  const further = [{ id: second.output[0]!.id! }, { role: 'user' as const, content: 'Sure?' }];
  const third = await say('Yes.', { previous_response_id: second.id, input: further });
  await say('Fine.', { previous_response_id: third.id, input: 'So?', store: false });
  expect(chat.lastBody.messages).toEqual([
    ...BEFORE,
    { role: 'assistant', content: 'Warm.Warm.' },
    { role: 'user', content: 'Sure?' },
    { role: 'assistant', content: 'Yes.' },
    { role: 'user', content: 'So?' },
  ]);
  await site.expectCharged(account, 4n * COST);

  await client.responses.delete(id);
  const going = client.responses.create({ model: MODEL, input });
  await expect(going).rejects.toMatchObject(itemNotFound(asked));
  await expect(
    client.responses.create({ model: MODEL, input: 'x', previous_response_id: second.id }),
  ).rejects.toMatchObject(itemNotFound(asked));
  expect((await client.responses.inputItems.list(second.id)).data).toMatchObject([
    result,
    ...refer(called, thought, asked),
  ]);
});

it('gives a server that speaks Responses the items, with every other byte as it was', async () => {
  const [, thought, called] = await thoughtAndCall();
  const OUTPUT = [
    { id: 'rs_0+/=', type: 'reasoning', summary: [], encrypted_content: 'gAAAA' },
    { id: 'ws_1', type: 'web_search_call', status: 'completed' },
  ];
  const response = {
    ...{
      id: 'resp_01',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'maker-1',
      output: OUTPUT,
    },
    ...{ store: false, usage: { input_tokens: 21, output_tokens: 5, total_tokens: 26 } },
  };
  makersAnswer = (sent) =>
    sent.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(response));
  await (await post({ model: NATIVE_MODEL })).text();
  const references = refer(thought, called, 'rs_0+/=', 'ws_1').map((item) => JSON.stringify(item));
  const own = '{ "role":"user","content":"\\u005b1.0, \\"]"}';
  const body = `{"model":"${NATIVE_MODEL}","input":[${own} ,${references.join(', ')}],"temperature":1.0,"store":false}`;
  expect((await site.post('/v1/responses', account.apiKey, body)).status).toBe(200);
  const sent = JSON.parse(maker.bodies.at(-1)!) as { input: Fields[] };
  // What this gateway has kept of a thought says nothing to it.
  expect(sent.input.slice(1)).toMatchObject([{ id: called, type: 'function_call' }, ...OUTPUT]);
  const items = sent.input.slice(1).map((item) => JSON.stringify(item));
  expect(maker.bodies.at(-1)).toBe(
    body.replace(NATIVE_MODEL, 'maker-1').replace(references.join(', '), items.join(',')),
  );
  // A chat server gets what it can read.
  await say('x', { input: [...refer('rs_0+/=', called, 'ws_1'), result] });
  expect(chat.lastBody.messages).toMatchObject([{ tool_calls: [call] }, { role: 'tool' }]);
});

it('finds those of its own account and key only', async () => {
  const [, thought] = await thoughtAndCall();
  const restricted = await insertApiKey(site.pool, account.accountId, { allowedModels: [MODEL] });
  const other = await site.account();
  await agree(true, other);
  for (const { apiKey } of [other, restricted]) {
    const referring = clientOf(apiKey).responses.create({ model: MODEL, input: refer(thought) });
    await expect(referring).rejects.toMatchObject(itemNotFound(thought));
  }
  await agree(false);
  await agree(true);
  const referring = client.responses.create({ model: MODEL, input: refer(thought) });
  await expect(referring).rejects.toMatchObject(itemNotFound(thought));
});

it('finds those of its own key if others have stored the same id', async () => {
  const keys = [
    ...[account, await insertApiKey(site.pool, account.accountId)],
    ...[await insertApiKey(site.pool, account.accountId, { allowedModels: [MODEL] })],
    await site.account(),
  ];
  await agree(true, keys[3] as TestAccount);
  const words = ['one', 'two', 'three', 'four'];
  const ask = (key: number, input: OpenAI.Responses.ResponseInput) => {
    chat.next({ json: answer({ content: 'Fine.' }) });
    return clientOf(keys[key]!.apiKey).responses.create({ model: MODEL, input });
  };
  const itemOf = (key: number, id = 'msg_mine') => ({
    ...{ type: 'message' as const, id, role: 'user' as const, content: words[key]! },
  });
  const expectFound = async (key: number, id = 'msg_mine', word = words[key]) => {
    await ask(key, refer(id));
    expect(chat.lastBody.messages).toEqual([{ role: 'user', content: word }]);
  };
  const stored: string[] = [];
  for (const key of keys.keys()) stored.push((await ask(key, [itemOf(key)])).id);
  for (const key of keys.keys()) await expectFound(key);
  // Whose own one is deleted finds what is left of those that it may see.
  await client.responses.delete(stored[0]!);
  await expectFound(0, 'msg_mine', words[1]);
  await expectFound(2);
  await expectFound(3);
  // An id that was made for a place is that of the item there, whatever clients call by it later.
  const asked = (await client.responses.inputItems.list((await say('Hm.')).id)).data[0]!.id!;
  await ask(0, [itemOf(0, asked)]);
  await expectFound(0, asked, 'Hello');
});

it.each<[string, unknown, number, string]>([
  ['unknown', 'msg_unknown', 404, 'input'],
  ['that nothing has', 'msg_\u0000\ud83c\udf1e', 404, 'input'],
  ['too long', 'x'.repeat(500), 404, 'input'],
  ['of no text', 7, 400, 'input.0.id'],
])('is refused for an id %s', async (_what, id, status, param) => {
  const response = await post({ input: [{ type: 'item_reference', id }] });
  expect([response.status, ((await response.json()) as { error: Fields }).error.param]).toEqual([
    status,
    param,
  ]);
});

it('cannot have more than a conversation', async () => {
  const { output } = await say('x'.repeat(6 * MEBIBYTE));
  const ids = (count: number) => Array.from({ length: count }, () => output[0]!.id!);
  for (const count of [3, 4_001]) {
    const response = await post({ input: refer(...ids(count)) });
    expect([response.status, await response.json()]).toMatchObject([400, { error: { param: 'input' } }]);
  }
  chat.next({ json: answer({ content: 'y' }) });
  expect((await post({ input: refer(...ids(2)) })).status).toBe(200);
  await site.pool.query('UPDATE responses.stored SET bytes = $2 WHERE account_id = $1', [
    account.accountId,
    17 * MEBIBYTE,
  ]);
  expect((await post({ input: refer(...ids(1)) })).status).toBe(400);
});
