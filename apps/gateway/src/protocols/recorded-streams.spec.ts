import { atOnce } from '@inference/http';
import { type NativeCall } from '../proxy/native-call';
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { ChatTranslation } from './chat/chat-translation';
import { readMessagesRequest } from './messages/messages-request';
import { type TranslatedRequest } from './protocol';
import { readResponsesRequest } from './responses/responses-request';
import { chunk, eventsIn, type Fields, usageChunk } from './scripted-chat.fixture';

/**
 * Streams as the original services send them, of the same answer: an event of ours has every member that the event of the original has,
 * and they come in the same order. The names of events are those of the SDKs' types, and the recorded stream of a function call has the
 * SDK's types as a whole.
 */

const CHUNKS = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Okay' }),
  chunk({ content: ', let me look.' }),
  chunk({
    tool_calls: [
      { index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '' } },
    ],
  }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '{"location":' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] }),
  chunk({}, 'tool_calls'),
  usageChunk(),
];

const TOOL = { name: 'get_weather', description: 'd' };
const PARAMETERS = { type: 'object', properties: { location: { type: 'string' } } };

const bytes = (chunks: object[]) => chunks.map((part) => `data: ${JSON.stringify(part)}\n\n`).join('');

function streamOf({ writer, isStream }: TranslatedRequest, chunks = CHUNKS): Fields[] {
  const translation = new ChatTranslation(writer('req_0'), isStream, 'req_0', {} as NativeCall);
  const text =
    translation.pass(bytes(chunks.slice(0, 6))) +
    translation.end(`${bytes(chunks.slice(6))}data: [DONE]\n\n`);
  return eventsIn(text).map(({ event, data }) => {
    expect(data.type).toBe(event);
    return data;
  });
}

/** Asserts that the value has every member of the other one, with values of the same kind. */
function expectShape(value: unknown, original: unknown, path: string): void {
  if (original === null || typeof original !== 'object') {
    const [kind, wanted] = [value, original].map((one) => (one === null ? 'null' : typeof one));
    expect(`${path}: ${kind}`).toBe(`${path}: ${wanted}`);
    return;
  }
  for (const [name, inner] of Object.entries(original)) {
    expect(Object.keys(value as object)).toContain(name);
    expectShape((value as Fields)[name], inner, `${path}.${name}`);
  }
}

const expectLike = (events: Fields[], original: object[]) => {
  expect(events.map(({ type }) => type)).toEqual(original.map((event) => (event as Fields).type));
  events.forEach((event, i) => expectShape(event, original[i], `${i} ${String(event.type)}`));
};

type Recorded<Type extends string> = Fields & { type: Type };
type AnthropicEvent = Recorded<Anthropic.RawMessageStreamEvent['type'] | 'ping'>;
type OpenAiEvent = Recorded<OpenAI.Responses.ResponseStreamEvent['type']>;

it('is Anthropic’s stream of a text and the call of a tool', () => {
  const ANTHROPIC: AnthropicEvent[] = [
    {
      type: 'message_start',
      message: {
        id: 'msg_014p7gG3wDgGV9EUtLvnow3U',
        type: 'message',
        role: 'assistant',
        model: 'claude-3-haiku-20240307',
        stop_sequence: null,
        usage: { input_tokens: 472, output_tokens: 2 },
        content: [],
        stop_reason: null,
      },
    },
    { type: 'ping' },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Okay' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ',' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'content_block_start',
      index: 1,
      content_block: {
        type: 'tool_use',
        id: 'toolu_01T1x1fJ34qAmk2tNTrN7Up6',
        name: 'get_weather',
        input: {},
      },
    },
    {
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{"location":' },
    },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: ' "Paris"}' } },
    { type: 'content_block_stop', index: 1 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 89 },
    },
    { type: 'message_stop' },
  ];
  const request = atOnce(
    readMessagesRequest({
      fields: {
        ...{ model: 'm', max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'x' }] },
        tools: [{ ...TOOL, input_schema: PARAMETERS }],
      },
      asText: JSON.stringify,
    }),
  );
  expectLike(streamOf(request), ANTHROPIC);
});

it('is OpenAI’s stream of a text and the call of a function', () => {
  const empty = {
    id: 'resp_67c9fdcecf488190bdd9a0409de3a1ec07b8b0ad4e5eb654',
    object: 'response',
    created_at: 1_741_290_958,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: 'You are a helpful assistant.',
    max_output_tokens: null,
    model: 'gpt-5',
    output: [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [{ type: 'function', name: 'get_weather' }],
    top_p: 1,
    truncation: 'disabled',
    usage: null,
    user: null,
    metadata: {},
  };
  const usage = {
    input_tokens: 37,
    output_tokens: 11,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 48,
  };
  const text = { type: 'output_text', text: 'Okay', annotations: [] };
  const item = { id: 'msg_67c9', type: 'message', status: 'in_progress', role: 'assistant', content: [] };
  const call = {
    id: 'fc_1',
    type: 'function_call',
    status: 'in_progress',
    arguments: '',
    call_id: 'call_1',
    name: 'get_weather',
  };
  const place = { item_id: 'msg_67c9', output_index: 0, content_index: 0 };
  const callPlace = { item_id: 'fc_1', output_index: 1 };
  const OPENAI: OpenAiEvent[] = (
    [
      { type: 'response.created', response: empty },
      { type: 'response.in_progress', response: empty },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.content_part.added', ...place, part: { ...text, text: '' } },
      { type: 'response.output_text.delta', ...place, delta: 'Okay' },
      { type: 'response.output_text.delta', ...place, delta: ', …' },
      { type: 'response.output_text.done', ...place, text: 'Okay, …' },
      { type: 'response.content_part.done', ...place, part: text },
      {
        type: 'response.output_item.done',
        output_index: 0,
        item: { ...item, status: 'completed', content: [text] },
      },
      { type: 'response.output_item.added', output_index: 1, item: call },
      { type: 'response.function_call_arguments.delta', ...callPlace, delta: '{"' },
      { type: 'response.function_call_arguments.delta', ...callPlace, delta: '"}' },
      { type: 'response.function_call_arguments.done', ...callPlace, arguments: '{"location":"Paris"}' },
      { type: 'response.output_item.done', output_index: 1, item: { ...call, status: 'completed' } },
      { type: 'response.completed', response: { ...empty, status: 'completed', store: true, usage } },
    ] satisfies OpenAiEvent[]
  ).map((event, sequence_number) => ({ ...event, sequence_number }));
  const request = atOnce(
    readResponsesRequest({
      fields: {
        ...{ model: 'm', stream: true, input: 'x', instructions: 'y', temperature: 1, top_p: 1 },
        tools: [{ type: 'function', ...TOOL, parameters: PARAMETERS, strict: true }],
      },
      asText: JSON.stringify,
    }),
  );
  expectLike(streamOf(request), OPENAI);
});

const CITY = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const ADDED_BY_SDK = 'output_text';

it('is OpenAI’s recorded stream of the call of a function', () => {
  // Of gpt-5.1 in 2026, without the members of features that a chat server has not.
  const response: OpenAI.Responses.Response = {
    id: 'resp_0775572d10a16b66006a8d85285ef487d2ae865d3657af7276',
    object: 'response',
    created_at: 1_787_659_560,
    status: 'in_progress',
    completed_at: null,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: 'gpt-5.1-2025-11-13',
    output: [],
    [ADDED_BY_SDK]: '',
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: 'none', summary: null },
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: 'required',
    tools: [
      {
        type: 'function',
        description: 'Get weather',
        name: 'get_weather',
        parameters: CITY,
        strict: true,
      },
    ],
    top_p: 1,
    truncation: 'disabled',
    metadata: {},
  };
  const id = 'fc_0775572d10a16b66006a8d8528e8a887d2a32ef76463d40c98';
  const call: OpenAI.Responses.ResponseFunctionToolCall = {
    id,
    type: 'function_call',
    status: 'in_progress',
    arguments: '',
    call_id: 'call_2FQdm3Br7Qb35YUBSkDR7kue',
    name: 'get_weather',
  };
  const done: typeof call = { ...call, status: 'completed', arguments: '{"city":"Beijing"}' };
  const place = { item_id: id, output_index: 0 };
  const usage = {
    input_tokens: 45,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 25,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 70,
  };
  const completed: typeof response = {
    ...{ ...response, completed_at: 1_787_659_561, usage },
    status: 'completed',
    output: [done],
  };
  const recorded: OpenAI.Responses.ResponseStreamEvent[] = [
    { type: 'response.created', response, sequence_number: 0 },
    { type: 'response.in_progress', response, sequence_number: 1 },
    { type: 'response.output_item.added', item: call, output_index: 0, sequence_number: 2 },
    ...['{"', 'city', '":"', 'Be', 'ijing', '"}'].map((delta, index) => ({
      ...{ type: 'response.function_call_arguments.delta' as const, delta, ...place },
      sequence_number: 3 + index,
    })),
    {
      ...{ type: 'response.function_call_arguments.done', name: 'get_weather', ...place },
      arguments: done.arguments,
      sequence_number: 9,
    },
    { type: 'response.output_item.done', item: done, output_index: 0, sequence_number: 10 },
    { type: 'response.completed', response: completed, sequence_number: 11 },
  ];
  const piece = (fields: object) => chunk({ tool_calls: [{ index: 0, ...fields }] });
  const request = atOnce(
    readResponsesRequest({
      fields: {
        ...{ model: 'm', stream: true, input: 'x', tool_choice: 'required', temperature: 1, top_p: 1 },
        ...{ reasoning: { effort: 'none' }, text: { verbosity: 'medium' } },
        tools: [{ type: 'function', ...TOOL, parameters: CITY, strict: true }],
      },
      asText: JSON.stringify,
    }),
  );
  const events = streamOf(request, [
    piece({ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '' } }),
    ...['{"', 'city', '":"', 'Be', 'ijing', '"}'].map((given) => piece({ function: { arguments: given } })),
    chunk({}, 'tool_calls'),
    usageChunk(),
  ]);
  const withoutAdded = JSON.stringify(recorded, (name, value: unknown) =>
    name === ADDED_BY_SDK ? undefined : value,
  );
  expectLike(events, JSON.parse(withoutAdded) as object[]);
});
