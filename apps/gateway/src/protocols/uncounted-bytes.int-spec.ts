import { type ServerResponse } from 'node:http';
import { type TestAccount, waitFor } from '@inference/testing';
import { costOf, RATES, type ScriptedUpstream, startUpstream, TestSite } from '../testing/gateway.fixture';
import { answer, type Fields } from './scripted-chat.fixture';

/** What a server gets that speaks the client's protocol, and a translation leaves out: it is set aside and charged all the same. */

const NATIVE = 'native-model';
const TRANSLATED = 'chat-model';
const CONTEXT_TOKENS = 400_000;
/** Some 200 kB. */
const TEXT = Array.from({ length: 22_000 }, (_, i) => `word${i % 7}${i % 10_000}`).join(' ');
const LEAST_TOKENS = 40_000;
const POOR = costOf(RATES, 1_000, 0);

let maker: ScriptedUpstream;
/** What that server answers next; nothing by default. */
let makersAnswer: (response: ServerResponse) => void;
let site: TestSite;
let account: TestAccount;

beforeAll(async () => {
  maker = await startUpstream((_request, response) => makersAnswer(response));
  site = await TestSite.start(
    { [NATIVE]: RATES, [TRANSLATED]: RATES },
    { MODEL_LIMITS: JSON.stringify({ [NATIVE]: { context_tokens: CONTEXT_TOKENS } }) },
    () => [
      { name: 'maker', base_url: maker.url, protocols: ['messages', 'responses'], models: [NATIVE] },
      { name: 'chatting', base_url: maker.url, models: [TRANSLATED] },
    ],
  );
});
afterAll(async () => {
  await site.stop();
  await maker.close();
});
beforeEach(async () => {
  maker.bodies.length = 0;
  makersAnswer = () => undefined;
  account = await site.account();
});

const given = (json: object) => (response: ServerResponse) =>
  void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(json));
const ask = (endpoint: string, body: Fields | string, init: RequestInit = {}, key = account.apiKey) =>
  site.post(`/v1/${endpoint}`, key, body, init);

/** Leaves as soon as the server has the request. Returns the tokens of the prompt that is charged. */
async function leave(endpoint: string, body: Fields | string): Promise<number> {
  const client = new AbortController();
  const sent = ask(endpoint, body, { signal: client.signal });
  const read = sent.then((response) => response.text());
  await waitFor(() => Promise.resolve(maker.bodies.length > 0));
  client.abort();
  await expect(read).rejects.toThrow();
  const event = await site.onlyEvent(account);
  expect(event).toMatchObject({ outcome: 'disconnected', output_tokens: 0n, estimated: true });
  await site.expectCharged(account, costOf(RATES, Number(event.input_tokens), 0));
  return Number(event.input_tokens);
}

const QUESTION = { role: 'user', content: 'Hello' };
const messages = (more: Fields): Fields => ({ model: NATIVE, max_tokens: 1, messages: [QUESTION], ...more });
const responses = (more: Fields): Fields => ({
  model: NATIVE,
  max_output_tokens: 1,
  input: 'Hello',
  ...more,
});
const tool = (more: Fields) => ({ name: 'a', input_schema: { type: 'object' }, ...more });
const fn = (name: string, more: Fields = {}) => ({ type: 'function', name, parameters: {}, ...more });
const REFERENCES = { tools: [fn('a'), fn('b', { description: TEXT })] };
const thought = { type: 'thinking', thinking: 'Hm.' };
const INCLUDES = Array.from({ length: 10_000 }, () => 'code_interpreter_call.outputs');

const MESSAGES: Record<string, Fields> = {
  input_examples: { tools: [tool({ input_examples: [{ of: TEXT }] })] },
  eager_input_streaming: { tools: [tool({ eager_input_streaming: { of: TEXT } })] },
  'cache_control of a tool': { tools: [tool({ cache_control: { type: 'ephemeral', ttl: TEXT } })] },
  'cache_control of a block': {
    system: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral', ttl: TEXT } }],
  },
  signature: {
    messages: [QUESTION, { role: 'assistant', content: [{ ...thought, signature: TEXT }] }, QUESTION],
  },
  caller: {
    messages: [
      QUESTION,
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 't', name: 'a', input: {}, caller: { type: 'direct', of: TEXT } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'x' }] },
    ],
  },
  'citations of a document': {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'document', source: { type: 'text', data: 'x' }, citations: { enabled: false, of: TEXT } },
        ],
      },
    ],
  },
  metadata: { metadata: { user_id: TEXT } },
  'names of fields': {
    context_management: Object.fromEntries(TEXT.split(' ').map((word, i) => [word + i, 0])),
  },
  diagnostics: { diagnostics: TEXT },
  'the former name of a format': {
    output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
    output_format: { type: 'json_schema', schema: { description: TEXT } },
  },
};

const RESPONSES: Record<string, Fields> = {
  namespace: { tools: [{ type: 'namespace', name: 'n', tools: [fn('a', { description: TEXT })] }] },
  allowed_tools: {
    ...REFERENCES,
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'a' }] },
  },
  output_schema: { tools: [fn('a', { output_schema: { description: TEXT } })] },
  'encrypted_content beside a summary': {
    input: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: TEXT },
      QUESTION,
    ],
  },
  'a summary beside content': {
    input: [
      {
        type: 'reasoning',
        content: [{ type: 'reasoning_text', text: 'Hm.' }],
        summary: [{ type: 'summary_text', text: TEXT }],
      },
      QUESTION,
    ],
  },
  'annotations and log probabilities': {
    input: [
      {
        role: 'assistant',
        content: [{ type: 'output_text', text: 'x', annotations: [{ of: TEXT }], logprobs: [] }],
      },
      QUESTION,
    ],
  },
  'ids of items': { input: [{ ...QUESTION, id: TEXT }] },
  client_metadata: { client_metadata: { of: TEXT } },
  metadata: { metadata: { of: TEXT } },
  prompt_cache_key: { prompt_cache_key: TEXT },
  include: { include: INCLUDES },
};

describe.each([
  ['messages', messages, MESSAGES],
  ['responses', responses, RESPONSES],
] as const)('a call in %s to a server that speaks them', (endpoint, bodyOf, fields) => {
  it.each(Object.keys(fields))('that the client leaves costs what is in %s', async (field) => {
    expect(await leave(endpoint, bodyOf(fields[field]!))).toBeGreaterThan(LEAST_TOKENS);
  });

  it.each(Object.keys(fields))('needs money for what is in %s', async (field) => {
    makersAnswer = (response) => void response.writeHead(400).end();
    const { apiKey } = await site.account(POOR);
    const refused = await ask(endpoint, bodyOf(fields[field]!), {}, apiKey);
    expect(refused.status).toBe(402);
    await refused.text();
    expect(maker.bodies).toEqual([]);
  });

  it('costs the texts and nothing else if nothing is left out', async () => {
    expect(await leave(endpoint, bodyOf({}))).toBeLessThan(20);
  });
});

it('the pictures of a call count by their size, not by their bytes', async () => {
  const png = Buffer.alloc(200_000, 7);
  png.writeUInt32BE(0x89504e47, 0);
  png.writeUInt32BE(512, 16);
  png.writeUInt32BE(512, 20);
  const source = { type: 'base64', media_type: 'image/png', data: png.toString('base64') };
  const body = messages({ messages: [{ role: 'user', content: [{ type: 'image', source }] }] });
  const tokens = await leave('messages', body);
  expect(tokens).toBeGreaterThanOrEqual(255);
  expect(tokens).toBeLessThan(300);
});

it('a server that reports no usage is paid for all that it got', async () => {
  const events = [
    { type: 'message_start', message: { id: 'msg_1', type: 'message', role: 'assistant', content: [] } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi.' } },
    { type: 'message_stop' },
  ].map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
  makersAnswer = (response) =>
    void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(events.join(''));
  const response = await ask('messages', messages({ ...MESSAGES.input_examples, stream: true }));
  expect(response.status).toBe(200);
  await response.text();
  const event = await site.onlyEvent(account);
  expect(Number(event.input_tokens)).toBeGreaterThan(LEAST_TOKENS);
  expect(event.estimated).toBe(true);
});

it('count_tokens estimates what such a server would get, if it does not count itself', async () => {
  makersAnswer = (response) => void response.writeHead(404).end();
  const count = async (model: string) => {
    const { max_tokens: _, ...body } = messages({ ...MESSAGES.input_examples, model });
    const counted = (await (await ask('messages/count_tokens', body)).json()) as { input_tokens: number };
    return counted.input_tokens;
  };
  expect(await count(NATIVE)).toBeGreaterThan(LEAST_TOKENS);
  expect(await count(TRANSLATED)).toBeLessThan(100);
});

it('a server of chat completions gets the translation, which is all that is set aside and charged', async () => {
  makersAnswer = given({ ...answer({ content: 'Hi.' }), usage: undefined });
  account = await site.account(POOR);
  const response = await ask('responses', { ...responses(RESPONSES.namespace!), model: TRANSLATED });
  expect(response.status).toBe(200);
  await response.text();
  expect(Number((await site.onlyEvent(account)).input_tokens)).toBeLessThan(100);
});

it('a search of the server may fill the context, which has to be covered', async () => {
  const body = responses({ tools: [{ type: 'web_search' }] });
  const { apiKey } = await site.account(costOf(RATES, CONTEXT_TOKENS - 1, 0));
  makersAnswer = (response) => void response.writeHead(400).end();
  expect((await ask('responses', body, {}, apiKey)).status).toBe(402);
  expect(maker.bodies).toEqual([]);
  makersAnswer = () => undefined;
  expect(await leave('responses', body)).toBeLessThan(100);
});

describe('a name that is given twice', () => {
  const hi = (field: string, value: unknown = 'Hello') => `"${field}":${JSON.stringify(value)}`;
  it.each([
    [
      'messages',
      `{"model":"${NATIVE}","max_tokens":1,"messages":[{"role":"user",${hi('content', TEXT)},${hi('content')}}]}`,
    ],
    [
      'messages',
      `{"model":"${NATIVE}","max_tokens":1,"messages":[{"role":"user","content":[{"type":"text",${hi('text', TEXT)},${hi('text')}}]}]}`,
    ],
    [
      'messages',
      `{"model":"${NATIVE}","max_tokens":1,"messages":[{"role":"user",${hi('content')}}],"system":[{"type":"text",${hi('text', TEXT)},"te\\u0078t":"a"}]}`,
    ],
    [
      'messages',
      `{"model":"${NATIVE}","max_tokens":1,"messages":[{"role":"user",${hi('content')}}],"tools":[{"name":"a",${hi('description', TEXT)},${hi('description')},"input_schema":{}}]}`,
    ],
    ['responses', `{"model":"${NATIVE}","input":[{"role":"user",${hi('content', TEXT)},${hi('content')}}]}`],
    ['responses', `{"model":"${NATIVE}","input":"a","text":{"format":{"type":"text","type":"text"}}}`],
    [
      'responses',
      `{"model":"${NATIVE}","input":"a","tools":[{"type":"function","name":"a","parameters":{${hi('description', TEXT)},${hi('description')}}}]}`,
    ],
  ])('is refused in %s', async (endpoint, body) => {
    makersAnswer = (response) => void response.writeHead(404).end();
    const refused = await ask(endpoint, body);
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('must be given once');
    expect(maker.bodies).toEqual([]);
    await site.expectCharged(account, 0n);
  });

  it('counts twice where it is passed on, as in chat completions', async () => {
    const parameters = `{${hi('description', TEXT)},${hi('description')}}`;
    const tools = `[{"type":"function","function":{"name":"a","parameters":${parameters}}}]`;
    const body = `{"model":"${TRANSLATED}","max_tokens":1,"messages":[{"role":"user","content":"a"}],"tools":${tools}}`;
    expect(await leave('chat/completions', body)).toBeGreaterThan(LEAST_TOKENS);
  });
});
