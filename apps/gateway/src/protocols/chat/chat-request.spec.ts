import { readReportedUsage } from '../../proxy/usage/reported-usage';
import { type TranslatedCall } from '../../upstreams/upstream-request';
import { type Fields } from '../fields';
import { messagesForChat } from '../messages/messages-for-chat';
import { responsesForChat } from '../responses/responses-for-chat';

/** Chat completions for servers that speak another protocol, and their answers. */

const MOST = 4_000;
const ASK = { role: 'user', content: 'Bern?' };
const toMessages = (chat: Fields | string) => messagesForChat(bytes(chat), MOST);
const toResponses = (chat: Fields | string) => responsesForChat(bytes(chat));
const bytes = (chat: Fields | string) => Buffer.from(typeof chat === 'string' ? chat : JSON.stringify(chat));
const bodyOf = ({ body }: TranslatedCall) => JSON.parse(body.toString('utf8')) as Fields;
const chat = (fields: Fields = {}): Fields => ({ model: 'm', messages: [ASK], ...fields });

const PDF = 'data:application/pdf;base64,JVBERi0=';
const PICTURE = 'data:image/png;base64,iVBORw0=';
const WEATHER = {
  type: 'function',
  function: { name: 'weather', description: 'Looks.', parameters: { type: 'object', properties: { n: {} } } },
};
const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'weather', arguments: '{"n":12345678901234567890}' },
};
/** All that a conversation of an agent has. */
/** As OpenAI’s SDK sends it back. */
const PARSED_CALL = { ...CALL, id: 'call_2', function: { ...CALL.function, parsed_arguments: { n: 1 } } };
const CONVERSATION = [
  { role: 'system', content: 'Be brief.' },
  { role: 'developer', content: [{ type: 'text', text: 'Metric.', cache_control: { type: 'ephemeral' } }] },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look.' },
      { type: 'image_url', image_url: { url: PICTURE } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: PDF } },
    ],
  },
  { role: 'assistant', content: '', tool_calls: [CALL, PARSED_CALL], annotations: [] },
  { role: 'tool', tool_call_id: 'call_1', content: 'rain' },
  { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'sun' }] },
  { role: 'user', content: 'And now?' },
  { role: 'assistant', content: 'Sun.', reasoning_content: 'Hm.', parsed: { sun: true } },
  { role: 'user', content: 'Sure?' },
];

describe('for Messages', () => {
  it('keeps all of a conversation, and the digits of arguments and schemas', async () => {
    const body = JSON.stringify(chat({ messages: CONVERSATION, tools: [WEATHER] })).replace(
      '"n":{}',
      '"n":{"maximum":9223372036854775807}',
    );
    const translated = await toMessages(body);
    const text = translated.body.toString('utf8');
    expect(text.match(/"input":\{"n":12345678901234567890\}/g)).toHaveLength(2);
    expect(text).toContain('"n":{"maximum":9223372036854775807}');
    const call = (id: string) => ({
      type: 'tool_use',
      id,
      name: 'weather',
      input: { n: expect.any(Number) as unknown },
    });
    const result = (id: string, said: string) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: [{ type: 'text', text: said }],
    });
    expect(bodyOf(translated)).toEqual({
      model: 'm',
      max_tokens: MOST,
      system: [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'Metric.', cache_control: { type: 'ephemeral' } },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look.' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } },
            { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
              title: 'a.pdf',
            },
          ],
        },
        { role: 'assistant', content: [call('call_1'), call('call_2')] },
        {
          role: 'user',
          content: [result('call_1', 'rain'), result('call_2', 'sun'), { type: 'text', text: 'And now?' }],
        },
        { role: 'assistant', content: [{ type: 'text', text: 'Sun.' }] },
        { role: 'user', content: [{ type: 'text', text: 'Sure?' }] },
      ],
      tools: [
        {
          name: 'weather',
          description: 'Looks.',
          input_schema: { type: 'object', properties: { n: { maximum: expect.any(Number) as unknown } } },
        },
      ],
    });
    expect(translated.ignored).toEqual([
      'messages.7.reasoning_content',
      'messages.2.content.2.image_url.detail',
    ]);
    expect(translated.headers).toEqual({ 'anthropic-version': '2023-06-01' });
  });

  it.each<[Fields, Fields]>([
    [{ max_completion_tokens: 9 }, { max_tokens: 9 }],
    [{ max_tokens: 9, max_completion_tokens: 7 }, { max_tokens: 7 }],
    [{ stop: 'x' }, { stop_sequences: ['x'] }],
    [
      { stop: ['x', 'y'], top_k: 3, top_p: 0.5, temperature: 1.5 },
      { stop_sequences: ['x', 'y'], top_k: 3, top_p: 0.5, temperature: 1.5 },
    ],
    [{ stream: true, stream_options: { include_usage: true } }, { stream: true }],
    [{ user: 'u1' }, { metadata: { user_id: 'u1' } }],
    [{ reasoning_effort: 'minimal' }, { output_config: { effort: 'low' } }],
    [{ reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }],
    [
      { thinking: { type: 'adaptive' }, reasoning_effort: 'high' },
      { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    ],
    [
      {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'a', strict: true, schema: { type: 'object' } },
        },
      },
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    ],
    [{ n: 1, logprobs: false, presence_penalty: 0, logit_bias: {}, response_format: { type: 'text' } }, {}],
    [{ tool_choice: 'auto', parallel_tool_calls: false }, {}],
  ])('puts %j as %j', async (given, expected) => {
    expect(bodyOf(await toMessages(chat(given)))).toEqual({
      model: 'm',
      max_tokens: MOST,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Bern?' }] }],
      ...expected,
    });
  });

  it.each<[Fields, Fields | undefined]>([
    [{ tool_choice: 'required' }, { type: 'any' }],
    [{ tool_choice: 'none', parallel_tool_calls: false }, { type: 'none' }],
    [{ parallel_tool_calls: false }, { type: 'auto', disable_parallel_tool_use: true }],
    [{ parallel_tool_calls: true }, undefined],
    [{ tool_choice: { type: 'function', function: { name: 'weather' } } }, { type: 'tool', name: 'weather' }],
  ])('chooses tools by %j', async (given, choice) => {
    expect(bodyOf(await toMessages(chat({ tools: [WEATHER], ...given }))).tool_choice).toEqual(choice);
  });

  it('gives thoughts back that the maker has signed', async () => {
    const details = [
      { type: 'reasoning.text', text: 'Hm.', signature: 'sig' },
      { type: 'reasoning.encrypted', data: 'xyz' },
      { type: 'reasoning.text', text: 'not signed' },
    ];
    const messages = [
      ASK,
      { role: 'assistant', content: null, reasoning_details: details, tool_calls: [CALL] },
    ];
    expect(bodyOf(await toMessages(chat({ messages }))).messages).toMatchObject([
      {},
      {
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
          { type: 'redacted_thinking', data: 'xyz' },
          { type: 'tool_use' },
        ],
      },
    ]);
  });
});

describe('for Responses', () => {
  it('keeps all of a conversation', async () => {
    const translated = await toResponses(
      chat({
        ...{ messages: CONVERSATION, tools: [WEATHER], tool_choice: 'required', parallel_tool_calls: false },
        ...{
          max_tokens: 50,
          reasoning_effort: 'low',
          verbosity: 'low',
          stream: true,
          user: 'u1',
          store: true,
        },
        response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true, schema: {} } },
      }),
    );
    const call = (id: string) => ({
      type: 'function_call',
      call_id: id,
      name: 'weather',
      arguments: CALL.function.arguments,
    });
    expect(bodyOf(translated)).toEqual({
      model: 'm',
      store: false,
      user: 'u1',
      max_output_tokens: 50,
      stream: true,
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'a', strict: true, schema: {} }, verbosity: 'low' },
      tools: [
        {
          type: 'function',
          name: 'weather',
          description: 'Looks.',
          parameters: WEATHER.function.parameters,
          strict: false,
        },
      ],
      tool_choice: 'required',
      parallel_tool_calls: false,
      input: [
        { role: 'system', content: [{ type: 'input_text', text: 'Be brief.' }] },
        { role: 'system', content: [{ type: 'input_text', text: 'Metric.' }] },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Look.' },
            { type: 'input_image', image_url: PICTURE, detail: 'auto' },
            { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
            { type: 'input_file', filename: 'a.pdf', file_data: PDF },
          ],
        },
        call('call_1'),
        call('call_2'),
        { type: 'function_call_output', call_id: 'call_1', output: 'rain' },
        { type: 'function_call_output', call_id: 'call_2', output: 'sun' },
        { role: 'user', content: [{ type: 'input_text', text: 'And now?' }] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'Sun.' }] },
        { role: 'user', content: [{ type: 'input_text', text: 'Sure?' }] },
      ],
    });
    expect(translated.ignored).toEqual([
      'store',
      'messages.7.reasoning_content',
      'messages.1.content.0.cache_control',
    ]);
  });
});

describe.each<[string, (chat: Fields) => Promise<TranslatedCall>]>([
  ['Messages', toMessages],
  ['Responses', toResponses],
])('what cannot be carried over to %s', (_name, translate) => {
  it.each<[Fields, string]>([
    [{ n: 2 }, 'n'],
    [{ logprobs: true }, 'logprobs'],
    [{ seed: 1 }, 'seed'],
    [{ presence_penalty: 0.5 }, 'presence_penalty'],
    [{ logit_bias: { 5: 1 } }, 'logit_bias'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
    [{ guided_json: {} }, 'guided_json'],
    [{ stream_options: { continuous_usage_stats: true } }, 'stream_options.continuous_usage_stats'],
    [{ messages: [{ ...ASK, name: 'Ann' }] }, 'messages.0.name'],
    [{ messages: [{ role: 'function', content: 'x' }] }, 'messages.0.role'],
    [
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
      'messages.0.content.0.type',
    ],
    [{ messages: [ASK, { role: 'assistant', audio: { id: 'a' } }] }, 'messages.1.audio'],
    [{ tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools.0.type'],
    [{ tool_choice: { type: 'allowed_tools' } }, 'tool_choice.type'],
  ])('is refused by name: %j', async (given, param) => {
    await expect(translate(chat(given))).rejects.toMatchObject({ code: 'invalid_value', param });
  });
});

it.each<[(chat: Fields) => Promise<TranslatedCall>, Fields, string]>([
  [toResponses, { stop: 'x' }, 'stop'],
  [toResponses, { top_k: 1 }, 'top_k'],
  [toMessages, { verbosity: 'low' }, 'verbosity'],
  [toMessages, { response_format: { type: 'json_object' } }, 'response_format.type'],
  [toMessages, { service_tier: 'flex' }, 'service_tier'],
])('refuses what one of them does not know: %# %j', async (translate, given, param) => {
  await expect(translate(chat(given))).rejects.toMatchObject({ code: 'invalid_value', param });
});

describe('a usage', () => {
  it.each<[string, Fields]>([
    [
      'of Messages with both caches, thoughts and searches',
      {
        input_tokens: 11,
        cache_read_input_tokens: 300,
        cache_creation_input_tokens: 50,
        cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 30 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 3 },
        server_tool_use: { web_search_requests: 2 },
        service_tier: 'priority',
      },
    ],
    ['of Messages without a cache', { input_tokens: 11, output_tokens: 7, service_tier: 'standard' }],
    ['with the cache of five minutes', { input_tokens: 1, cache_creation_input_tokens: 9, output_tokens: 7 }],
    ['of the input only', { input_tokens: 11 }],
    ['of zeros', { input_tokens: 0, output_tokens: 0 }],
  ])('%s is metered as it would be in its own protocol', async (_name, usage) => {
    const { answer } = await toMessages(chat());
    const message = { id: 'msg_1', type: 'message', model: 'x', content: [], stop_reason: 'end_turn', usage };
    const body = await answer.plain(200, Buffer.from(JSON.stringify(message)));
    expect(readReportedUsage(JSON.parse(body.toString('utf8')) as object)).toEqual(
      readReportedUsage({ usage }),
    );
  });
});

it.each<[number, string, string]>([
  [
    429,
    '{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}',
    '{"error":{"message":"slow","type":"rate_limit_error","param":null,"code":null}}',
  ],
  [502, '<html>', '<html>'],
  [200, '{"type":"message","usage":{"input_tokens":1}}', '{"type":"message","usage":{"input_tokens":1}}'],
])('an answer of status %i that is none: %s', async (status, given, expected) => {
  const { answer } = await toMessages(chat());
  expect((await answer.plain(status, Buffer.from(given))).toString('utf8')).toBe(expected);
});
