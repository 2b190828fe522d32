import type Anthropic from '@anthropic-ai/sdk';
import { atOnce } from '@inference/http';
import fc from 'fast-check';
import { parse } from 'lossless-json';
import { readBody } from '../json';
import { readMessagesRequest } from './messages-request';

type Params = Omit<Anthropic.MessageCreateParams, 'model' | 'max_tokens'>;
type Fields = Record<string, unknown>;

const translate = (fields: Fields) => {
  const body = { fields: { model: 'm', max_tokens: 9, messages: [], ...fields }, asText: JSON.stringify };
  return atOnce(readMessagesRequest(body));
};
const chatOf = (fields: Params) => translate(fields as unknown as Fields).chat;
const ask = (content: Anthropic.MessageParam['content']): Params => ({
  messages: [{ role: 'user', content }],
});
const call: Anthropic.ToolUseBlockParam = { type: 'tool_use', id: 'c1', name: 'f', input: { x: 1 } };
const chatCall = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } };
const PNG = { type: 'base64' as const, media_type: 'image/png' as const, data: 'AAAA' };
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

it.each<[string, Params, Fields[]]>([
  ['a text', ask('Hello'), [{ role: 'user', content: 'Hello' }]],
  [
    'a text with a mark of the cache',
    ask([{ type: 'text', text: 'Hello', cache_control: { type: 'ephemeral' } }]),
    [{ role: 'user', content: 'Hello' }],
  ],
  [
    'instructions, also among the messages',
    {
      system: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      messages: [
        { role: 'system', content: 'c' },
        { role: 'user', content: 'd' },
        { role: 'system', content: [{ type: 'text', text: 'e' }] },
      ],
    },
    [
      { role: 'system', content: 'a\n\nb\n\nc' },
      { role: 'user', content: 'd' },
      { role: 'system', content: 'e' },
    ],
  ],
  [
    'pictures',
    ask([
      { type: 'image', source: PNG },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'text', text: 'What is this?' },
    ]),
    [
      {
        role: 'user',
        content: [
          image,
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'text', text: 'What is this?' },
        ],
      },
    ],
  ],
  [
    'documents',
    ask([
      { type: 'document', title: 'T', source: { type: 'text', media_type: 'text/plain', data: 'D' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
    ]),
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'T' },
          { type: 'text', text: 'D' },
          { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
        ],
      },
    ],
  ],
  [
    'an answer with a thought, a text and calls, and their results',
    {
      messages: [
        { role: 'user', content: 'a' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'unsigned' },
            { type: 'text', text: 'b' },
            call,
            { ...call, id: 'c2', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'c1', content: 'r' },
            {
              type: 'tool_result',
              tool_use_id: 'c2',
              is_error: true,
              content: [
                { type: 'text', text: 'bad' },
                { type: 'image', source: PNG },
              ],
            },
            { type: 'text', text: 'c' },
          ],
        },
      ],
    },
    [
      { role: 'user', content: 'a' },
      {
        role: 'assistant',
        content: 'b',
        reasoning_content: 'hm',
        tool_calls: [chatCall, { id: 'c2', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'r' },
      { role: 'tool', tool_call_id: 'c2', content: 'Error:\nbad' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Attached to the result of c2:' },
          image,
          { type: 'text', text: 'c' },
        ],
      },
    ],
  ],
])('carries over %s', (_title, request, messages) => {
  expect(chatOf(request).messages).toEqual(messages);
});

const tool = { name: 'f', description: 'd', input_schema: { type: 'object' as const } };
const chatTool = {
  type: 'function',
  function: { name: 'f', description: 'd', parameters: { type: 'object' } },
};

it.each<[Fields, Fields]>([
  [
    { temperature: 1, top_p: 0.5, top_k: 3 },
    { temperature: 1, top_p: 0.5, top_k: 3 },
  ],
  [{ stop_sequences: ['a', 'b'] }, { stop: ['a', 'b'] }],
  [{ stream: true }, { stream: true, stream_options: { include_usage: true } }],
  [{ tools: [tool] }, { tools: [chatTool] }],
  [
    { tools: [{ ...tool, type: 'custom', strict: true }] },
    { tools: [{ ...chatTool, function: { ...chatTool.function, strict: true } }] },
  ],
  [
    { tools: [tool], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
    { tools: [chatTool], tool_choice: 'auto', parallel_tool_calls: false },
  ],
  [
    { tools: [tool], tool_choice: { type: 'any' } },
    { tools: [chatTool], tool_choice: 'required' },
  ],
  [
    { tools: [tool], tool_choice: { type: 'none' } },
    { tools: [chatTool], tool_choice: 'none' },
  ],
  [
    { tools: [tool], tool_choice: { type: 'tool', name: 'f' } },
    { tools: [chatTool], tool_choice: { type: 'function', function: { name: 'f' } } },
  ],
  [{ tool_choice: { type: 'auto' }, tools: [] }, {}],
  [{ thinking: { type: 'enabled', budget_tokens: 1024 } }, { reasoning_effort: 'low' }],
  [{ thinking: { type: 'enabled', budget_tokens: 4096 } }, { reasoning_effort: 'medium' }],
  [{ thinking: { type: 'enabled', budget_tokens: 31_999 } }, { reasoning_effort: 'high' }],
  [{ thinking: { type: 'adaptive' } }, {}],
  [{ thinking: { type: 'disabled' } }, {}],
  [{ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }, { reasoning_effort: 'high' }],
  [
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: { type: 'object' }, strict: true },
      },
    },
  ],
])('carries over %j', (fields, chat) => {
  expect(translate(fields).chat).toEqual({ model: 'm', max_tokens: 9, messages: [], ...chat });
});

it('names what has no effect on a chat server', () => {
  const { chat, ignored } = translate({
    metadata: { user_id: 'u' },
    context_management: { edits: [] },
    tools: [{ ...tool, input_examples: [{}] }],
  });
  expect(ignored).toEqual(['metadata', 'context_management', 'tools.0.input_examples']);
  expect(Object.keys(chat)).toEqual(['model', 'messages', 'max_tokens', 'tools']);
});

it.each<[Fields, ignored: string[], effort: string | undefined]>([
  [{ thinking: { type: 'disabled' } }, ['thinking'], undefined],
  [{ thinking: { type: 'adaptive', display: 'omitted' } }, ['thinking.display'], undefined],
  [
    { thinking: { type: 'enabled', budget_tokens: 9 }, output_config: { effort: 'max' } },
    ['thinking.budget_tokens'],
    'high',
  ],
  [{ thinking: { type: 'enabled', budget_tokens: 9 } }, [], 'low'],
])('names what has no effect in %j', (fields, expected, effort) => {
  const { chat, ignored } = translate(fields);
  expect([ignored, chat.reasoning_effort]).toEqual([expected, effort]);
});

const messages = (content: unknown, role = 'user') => ({ messages: [{ role, content }] });

it.each<[string, Fields, RegExp?]>([
  ['max_tokens', { max_tokens: null }, /must be given/],
  ['max_tokens', { max_tokens: 1.5 }],
  ['max_tokens', { max_tokens: '9' }],
  ['model', { model: '' }],
  ['messages', { messages: 'x' }, /list/],
  ['messages.0', { messages: [null] }, /object/],
  ['messages.0.role', messages('x', 'tool'), /user, assistant or system/],
  ['messages.0.content', messages(7)],
  ['messages.0.name', { messages: [{ role: 'user', content: 'x', name: 'n' }] }],
  [
    'messages.0.content.0.type',
    messages([{ type: 'search_result' }]),
    /text, image, document or tool_result:/,
  ],
  [
    'messages.0.content.0.content.0.type',
    messages([{ type: 'tool_result', tool_use_id: 'c', content: [{ type: 'tool_result' }] }]),
    /must be text, image or document:/,
  ],
  ['messages.0.content.0.text', messages([{ type: 'text', text: 7 }])],
  ['messages.0.content.0.citations', messages([{ type: 'text', text: 'x', citations: [{}] }])],
  ['messages.0.content.0.source.type', messages([{ type: 'image', source: { type: 'file', file_id: 'f' } }])],
  [
    'messages.0.content.0.citations.enabled',
    messages([{ type: 'document', citations: { enabled: true }, source: {} }]),
  ],
  ['messages.0.content.0.type', messages([{ type: 'redacted_thinking', data: 'x' }], 'assistant')],
  ['messages.0.content.0.type', messages([{ type: 'server_tool_use' }], 'assistant')],
  ['messages.0.content.0.input', messages([{ ...call, input: 'x' }], 'assistant')],
  ['messages', messages('begun', 'assistant'), /go on/],
  [
    'tools.0.type',
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    /web_search_20250305 cannot be run/,
  ],
  [
    'tools.0.type',
    { tools: [{ type: 'x'.repeat(1_000), name: 'f' }] },
    /: x{64} cannot be run|^x{64} cannot/,
  ],
  ['tools.0.defer_loading', { tools: [{ ...tool, defer_loading: true }] }],
  ['tools.2.name', { tools: [tool, { ...tool, name: 'other' }, tool] }, /must be unique/],
  ['tools.0.input_schema', { tools: [{ name: 'f' }] }],
  ['tool_choice', { tool_choice: { type: 'any' } }],
  ['tool_choice.type', { tool_choice: { type: 'all' } }],
  ['thinking.budget_tokens', { thinking: { type: 'enabled' } }],
  ['thinking.type', { thinking: { type: 'between_tools' } }],
  ['thinking', { thinking: 7, output_config: { effort: 'low' } }],
  ['thinking.effort', { thinking: { type: 'adaptive', effort: 'low' } }],
  ['thinking.display', { thinking: { type: 'adaptive', display: 7 } }],
  [
    'output_format.strict',
    { output_format: { type: 'json_schema', schema: {}, strict: false } },
    /cannot be passed on/,
  ],
  ['messages.0.content.0.source.detail', messages([{ type: 'image', source: { ...PNG, detail: 'low' } }])],
  ...['text', 'base64', 'content'].map((type): [string, Fields] => [
    'messages.0.content.0.source.pages',
    messages([{ type: 'document', source: { type, pages: 1 } }]),
  ]),
  ['output_config.format.type', { output_config: { format: { type: 'xml' } } }],
  ['temperature', { temperature: 3 }],
  ['mcp_servers', { mcp_servers: [{}] }],
  ['container', { container: 'c' }],
  ['nonsense', { nonsense: 0 }, /cannot be passed on/],
])('refuses %s of %j', (param, fields, message = /./) => {
  expect(() => translate(fields)).toThrow(
    expect.objectContaining({ code: 'invalid_value', param, message: expect.stringMatching(message) }),
  );
});

it('carries every number of a schema and of the input of a call over as it was', async () => {
  const schema = '{"type":"object","properties":{"id":{"maximum":9223372036854775807,"x":1e400}}}';
  const text =
    `{"model":"m","max_tokens":9,"tools":[{"name":"f","input_schema":${schema}}],"messages":[{"role":"user","content":"a"},` +
    '{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"id":9007199254740993}}]},' +
    '{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}]}';
  const body = await readBody(Buffer.from(text));
  const written = String(await body.writeWhole(atOnce(readMessagesRequest(body)).chat));
  expect(written).toContain(`"parameters":${schema}`);
  expect(written).toContain(String.raw`"arguments":"{\"id\":9007199254740993}"`);
});

it.each([
  ['{"model":7,"x":01234567890123456789}', 'not valid JSON'],
  ['{"model":9007199254740993,"x":', 'not valid JSON'],
  [`{"x":9007199254740993,"y":${'['.repeat(200)}${']'.repeat(200)}}`, 'must not'],
])('refuses %s as JSON', async (text, problem) => {
  await expect(readBody(Buffer.from(text))).rejects.toMatchObject({
    code: 'invalid_json',
    message: expect.stringContaining(problem),
  });
});

it('takes a number that a double cannot hold for no text', async () => {
  const text = '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":9007199254740993}]}';
  const body = await readBody(Buffer.from(text));
  expect(() => atOnce(readMessagesRequest(body))).toThrow(
    expect.objectContaining({ param: 'messages.0.content' }),
  );
});

it('gives the input of a call back as it was, whatever it holds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (input) => {
      const text = JSON.stringify({
        ...{ model: 'm', max_tokens: 9 },
        messages: [
          { role: 'assistant', content: [{ ...call, input }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1' }] },
        ],
      });
      const body = await readBody(Buffer.from(text));
      const chat = JSON.parse(body.write(atOnce(readMessagesRequest(body)).chat)) as {
        messages: { tool_calls: { function: { arguments: string } }[] }[];
      };
      expect(parse(chat.messages[0]!.tool_calls[0]!.function.arguments)).toEqual(
        parse(JSON.stringify(input)),
      );
    }),
  );
});
