import Anthropic from '@anthropic-ai/sdk';
import { type TestAccount } from '@inference/testing';
import { costOf, RATES, TestSite } from '../../testing/gateway.fixture';
import { answer, chunk, ScriptedChat, USAGE, usageChunk } from '../scripted-chat.fixture';

/** Anthropic's SDK, unchanged, against a chat server whose answers are scripted. */

const MODEL = 'house-model';
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
  site = await TestSite.start({ [MODEL]: RATES }, {}, () => [{ name: 'chat', base_url: chat.upstream.url }]);
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
    content: [{ type: 'text', text: 'A book of entries.', citations: null }],
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
