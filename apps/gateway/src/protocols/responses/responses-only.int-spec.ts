import Anthropic from '@anthropic-ai/sdk';
import { type ServerResponse } from 'node:http';
import OpenAI from 'openai';
import { type TestAccount } from '@inference/testing';
import { costOf, RATES, type ScriptedUpstream, startUpstream, TestSite } from '../../testing/gateway.fixture';
import { type Fields } from '../scripted-chat.fixture';

/** What clients of other protocols get from a server that speaks nothing but Responses. */

const RESPONSES_MODEL = 'responses-model';
const QUESTION = { role: 'user' as const, content: 'What is a ledger?' };

let maker: ScriptedUpstream;
/** What that server answers next. */
let makersAnswer: (response: ServerResponse) => void;
/** Where it was asked for it. */
let askedPath: string | undefined;
let site: TestSite;
let account: TestAccount;
let openai: OpenAI;
let client: Anthropic;

beforeAll(async () => {
  maker = await startUpstream((request, response) => {
    askedPath = request.url;
    makersAnswer(response);
  });
  site = await TestSite.start({ [RESPONSES_MODEL]: RATES }, {}, () => [
    { name: 'other', base_url: maker.url, protocols: ['responses'], models: [RESPONSES_MODEL] },
  ]);
});
afterAll(async () => {
  await site.stop();
  await maker.close();
});
beforeEach(async () => {
  account = await site.account();
  openai = new OpenAI({ apiKey: account.apiKey, baseURL: `${site.gateway.url}/v1`, maxRetries: 0 });
  client = new Anthropic({ apiKey: account.apiKey, baseURL: site.gateway.url, maxRetries: 0 });
});

const given = (status: number, json: object) =>
  (makersAnswer = (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(json)));
const eventText = (data: Fields & { type: string }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const streamed = (text: string) =>
  (makersAnswer = (response) => response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(text));

describe('a server that speaks only Responses', () => {
  const USAGE = {
    input_tokens: 40,
    input_tokens_details: { cached_tokens: 32 },
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 4 },
    total_tokens: 49,
  };
  const ITEMS = [
    { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    { id: 'msg_1', type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I look.' }] },
    { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'weather', arguments: '{"city":"Bern"}' },
  ];
  const RESPONSE = {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'x',
    output: ITEMS,
    usage: USAGE,
  };
  const CHAT = { model: RESPONSES_MODEL, messages: [QUESTION] };
  const SAID = {
    content: 'I look.',
    reasoning_content: 'Hm.',
    tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Bern"}' } }],
  };
  const STREAM = [
    { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [], usage: null } },
    { type: 'response.reasoning_summary_text.delta', output_index: 0, delta: 'Hm.' },
    { type: 'response.output_text.delta', output_index: 1, delta: 'I look.' },
    { type: 'response.output_item.added', output_index: 2, item: { ...ITEMS[2], arguments: '' } },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '{"city":' },
    { type: 'response.function_call_arguments.delta', output_index: 2, delta: '"Bern"}' },
    { type: 'response.output_item.done', output_index: 2, item: ITEMS[2] },
  ].map(eventText);
  const COMPLETED = eventText({ type: 'response.completed', response: RESPONSE });

  it('gets a chat completion in its words, and answers as a chat server', async () => {
    given(200, RESPONSE);
    const { choices, usage } = await openai.chat.completions.create(CHAT);
    expect([askedPath, JSON.parse(maker.bodies.at(-1)!)]).toEqual([
      '/v1/responses',
      {
        model: RESPONSES_MODEL,
        store: false,
        input: [{ role: 'user', content: [{ type: 'input_text', text: QUESTION.content }] }],
      },
    ]);
    expect(choices).toMatchObject([{ message: SAID, finish_reason: 'tool_calls' }]);
    const event = await site.onlyEvent(account);
    expect(event).toMatchObject({ endpoint: 'chat/completions', upstream: 'other', estimated: false });
    expect(usage).toMatchObject({
      prompt_tokens: 40,
      completion_tokens: 9,
      cost: Number(event.cost_picos) / 1e12,
    });
    await site.expectCharged(account, costOf(RATES, 40, 9));
  });

  it('as a stream', async () => {
    streamed([...STREAM, COMPLETED].join(''));
    const options = { stream_options: { include_usage: true } };
    const { choices, usage } = await openai.chat.completions
      .stream({ ...CHAT, ...options })
      .finalChatCompletion();
    expect(choices).toMatchObject([{ message: SAID, finish_reason: 'tool_calls' }]);
    const event = await site.onlyEvent(account);
    expect(usage).toMatchObject({ prompt_tokens: 40, cost: Number(event.cost_picos) / 1e12 });
    await site.expectCharged(account, costOf(RATES, 40, 9));
  });

  it('whose stream may fail', async () => {
    const error = { code: 'server_error', message: 'Lost' };
    streamed(
      eventText({ type: 'response.failed', response: { ...RESPONSE, status: 'failed', error, output: [] } }),
    );
    const response = await site.post('/v1/chat/completions', account.apiKey, { ...CHAT, stream: true });
    expect(await response.text()).toContain('"error":{"message":"Lost","type":"server_error"');
    await site.expectCharged(account, 0n);
  });

  it('also gets what a client of Messages asks', async () => {
    streamed([...STREAM, COMPLETED].join(''));
    const body = { model: RESPONSES_MODEL, max_tokens: 50, messages: [QUESTION] };
    const message = await client.messages.stream(body).finalMessage();
    expect(JSON.parse(maker.bodies.at(-1)!)).toMatchObject({ max_output_tokens: 50, store: false });
    expect(message).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'Hm.' },
        { type: 'text', text: 'I look.' },
        { type: 'tool_use', id: 'call_1', input: { city: 'Bern' } },
      ],
      stop_reason: 'tool_use',
    });
    expect(await site.onlyEvent(account)).toMatchObject({ endpoint: 'messages', upstream: 'other' });
    await site.expectCharged(account, costOf(RATES, 40, 9));
  });
});
