import { type SteppedWork } from '@inference/http';
import { ChatConversation } from '../chat/chat-conversation';
import {
  booleanAt,
  childOf,
  choiceAt,
  countAt,
  type Fields,
  isGiven,
  nameAt,
  numberAt,
  objectAt,
  refuse,
  refuseOthers,
  textAt,
  textsAt,
} from '../fields';
import { type ReadBody, textOf } from '../json';
import { InvalidValueError } from '../../proxy/request/request.errors';
import { type TranslatedRequest } from '../protocol';
import { addItems } from './responses-input';
import { ResponsesAnswer } from './responses-answer';
import { readTools } from './responses-tools';

/** Change nothing of what a chat server answers. */
const IGNORED = [
  'client_metadata',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
];

const KNOWN = new Set([
  ...IGNORED,
  ...[
    'model',
    'input',
    'instructions',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'max_tool_calls',
    'text',
  ],
  ...[
    'reasoning',
    'max_output_tokens',
    'temperature',
    'top_p',
    'top_logprobs',
    'stream',
    'stream_options',
    'store',
  ],
  ...[
    'metadata',
    'user',
    'service_tier',
    'include',
    'truncation',
    'background',
    'previous_response_id',
    'conversation',
  ],
]);
const REASONING = new Set(['effort', 'summary', 'generate_summary', 'context']);
const SUMMARIES = ['auto', 'concise', 'detailed', 'none'] as const;
const CONTEXTS = ['auto', 'current_turn', 'all_turns'] as const;
const STREAM_OPTIONS = new Set(['include_obfuscation']);
const TEXT = new Set(['format', 'verbosity']);
const NO_FIELDS = new Set<string>();
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
const SERVICE_TIERS = ['auto', 'default', 'flex', 'scale', 'priority'] as const;
const ENCRYPTED_REASONING = 'reasoning.encrypted_content';
/** Add something to the results of tools that no request here can have, or of pictures that the client has sent itself. */
const NEEDLESS_INCLUDES = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
];
/** What may be asked for in `include`. */
export const INCLUDES = [ENCRYPTED_REASONING, ...NEEDLESS_INCLUDES];
const MOST_METADATA = 16;
/** Chosen: instructions and tools of a million tokens. Three events of a stream repeat them. */
const MOST_REPEATED_BYTES = 4 * 1024 * 1024;

const tooMuchRepeated = () =>
  new InvalidValueError({
    path: 'instructions',
    message: `must have at most ${MOST_REPEATED_BYTES} bytes with \`tools\` and what else a response repeats`,
  });

/**
 * Translates a request of OpenAI's Responses.
 * @param isResolvedLater whether items that it refers to are put into their places afterwards
 */
export function* readResponsesRequest(
  { fields: body, asText }: Pick<ReadBody, 'fields' | 'asText'>,
  isResolvedLater = false,
): SteppedWork<TranslatedRequest> {
  refuseOthers(body, '', KNOWN);
  refuseState(body);
  const isStream = booleanAt(body.stream, 'stream') ?? false;
  const model = nameAt(body.model, 'model');
  const conversation = new ChatConversation();
  if (isGiven(body.instructions)) conversation.instruct(textAt(body.instructions, 'instructions'));
  const ignoredItems = yield* addItems(conversation, body.input, asText, isResolvedLater);
  const tools = yield* readTools(body);
  const { effort, showsSummary } = readReasoning(body);
  const withoutEffect = readWithoutEffect(body);
  const chat: Fields = { model, messages: conversation.messages, ...tools.chat };
  const set = (name: string, value: unknown) => isGiven(value) && (chat[name] = value);
  set('max_tokens', countAt(body.max_output_tokens, 'max_output_tokens', 1));
  set('temperature', numberAt(body.temperature, 'temperature', [0, 2]));
  set('top_p', numberAt(body.top_p, 'top_p', [0, 1]));
  set('reasoning_effort', effort);
  if (isGiven(body.user)) chat.user = textAt(body.user, 'user');
  if (isGiven(body.service_tier) && choiceAt(body.service_tier, 'service_tier', SERVICE_TIERS) !== 'auto')
    chat.service_tier = body.service_tier;
  Object.assign(chat, readText(body));
  if (isStream) Object.assign(chat, { stream: true, stream_options: { include_usage: true } });
  const echo = yield* textOf(asText(echoOf(body)), MOST_REPEATED_BYTES, tooMuchRepeated);
  const keepsThoughts = readIncludes(body).includes(ENCRYPTED_REASONING);
  return {
    chat,
    isStream,
    ignored: [
      ...IGNORED.filter((name) => isGiven(body[name])),
      ...withoutEffect,
      ...tools.ignored,
      ...ignoredItems,
    ],
    hasServerTools: tools.hasServerTools,
    writer: (requestId) =>
      new ResponsesAnswer({ requestId, echo, customTools: tools.custom, showsSummary, keepsThoughts }),
  };
}

/** Refuses what works on without its client. What was said before is a part of the input by now. */
function refuseState(body: Fields): void {
  if (isGiven(body.conversation))
    refuse('conversation', 'must not be given: go on from a response with `previous_response_id`');
  if (booleanAt(body.background, 'background'))
    refuse('background', 'must not be true, because a response is made while its client waits');
  booleanAt(body.store, 'store');
  if (isGiven(body.previous_response_id)) nameAt(body.previous_response_id, 'previous_response_id');
  if (isGiven(body.truncation)) choiceAt(body.truncation, 'truncation', ['disabled']);
  if (countAt(body.top_logprobs, 'top_logprobs', 0))
    refuse('top_logprobs', 'cannot be passed on to the server of this model');
  if (isGiven(body.metadata)) readMetadata(body.metadata);
}

function readMetadata(given: unknown): void {
  const entries = Object.entries(objectAt(given, 'metadata'));
  if (entries.length > MOST_METADATA) refuse('metadata', `must have at most ${MOST_METADATA} entries`);
  for (const [name, value] of entries) textAt(value, childOf('metadata', name));
}

function readIncludes({ include }: Fields): string[] {
  if (!isGiven(include)) return [];
  const names = textsAt(include, 'include');
  const wrong = names.findIndex((name) => !INCLUDES.includes(name));
  // Says what it must be.
  if (wrong >= 0) choiceAt(names[wrong], childOf('include', wrong), INCLUDES);
  return names;
}

/** A client that asks for a summary of the thoughts gets them there: it shows nothing else of them. */
function readReasoning({ reasoning }: Fields): { effort?: string; showsSummary: boolean } {
  if (!isGiven(reasoning)) return { showsSummary: false };
  const fields = objectAt(reasoning, 'reasoning');
  refuseOthers(fields, 'reasoning', REASONING);
  const { effort } = fields;
  const summaries = ['summary', 'generate_summary'].map((name) =>
    isGiven(fields[name]) ? choiceAt(fields[name], childOf('reasoning', name), SUMMARIES) : 'none',
  );
  const showsSummary = summaries.some((wish) => wish !== 'none');
  return {
    ...(isGiven(effort) && { effort: choiceAt(effort, 'reasoning.effort', EFFORTS) }),
    showsSummary,
  };
}

/** Names what is right but has no effect: a chat server runs no tools, pads no events and gets all thoughts that the input has. */
function readWithoutEffect({ max_tool_calls: most, stream_options: options, reasoning }: Fields): string[] {
  const names: string[] = [];
  if (countAt(most, 'max_tool_calls', 1) !== undefined) names.push('max_tool_calls');
  if (isGiven(options)) {
    const fields = objectAt(options, 'stream_options');
    refuseOthers(fields, 'stream_options', STREAM_OPTIONS);
    const name = 'stream_options.include_obfuscation';
    if (booleanAt(fields.include_obfuscation, name)) names.push(name);
  }
  const { context } = (reasoning as Fields | undefined | null) ?? {};
  if (isGiven(context)) {
    choiceAt(context, 'reasoning.context', CONTEXTS);
    names.push('reasoning.context');
  }
  return names;
}

function readText({ text }: Fields): Fields {
  if (!isGiven(text)) return {};
  const fields = objectAt(text, 'text');
  refuseOthers(fields, 'text', TEXT);
  const { verbosity, format } = fields;
  const chat: Fields = {};
  if (isGiven(verbosity)) chat.verbosity = choiceAt(verbosity, 'text.verbosity', ['low', 'medium', 'high']);
  if (!isGiven(format)) return chat;
  const { type, ...schema } = objectAt(format, 'text.format');
  const kind = choiceAt(type, 'text.format.type', ['text', 'json_object', 'json_schema']);
  // A chat server gets the fields of a schema as they are, and refuses what it does not know.
  if (kind !== 'json_schema') refuseOthers(schema, 'text.format', NO_FIELDS);
  if (kind === 'json_object') chat.response_format = { type: kind };
  if (kind === 'json_schema') {
    nameAt(schema.name, 'text.format.name');
    objectAt(schema.schema, 'text.format.schema');
    chat.response_format = { type: kind, json_schema: schema };
  }
  return chat;
}

/** What a response repeats of its request. */
const echoOf = (body: Fields): Fields => ({
  background: false,
  frequency_penalty: 0,
  instructions: body.instructions ?? null,
  max_output_tokens: body.max_output_tokens ?? null,
  max_tool_calls: body.max_tool_calls ?? null,
  model: body.model,
  parallel_tool_calls: body.parallel_tool_calls ?? true,
  presence_penalty: 0,
  previous_response_id: body.previous_response_id ?? null,
  prompt_cache_key: body.prompt_cache_key ?? null,
  reasoning: { effort: null, summary: null, ...(body.reasoning as Fields | undefined) },
  safety_identifier: body.safety_identifier ?? null,
  // Said when it is stored.
  store: false,
  temperature: body.temperature ?? null,
  text: { format: { type: 'text' }, ...(body.text as Fields | undefined) },
  tool_choice: body.tool_choice ?? 'auto',
  tools: body.tools ?? [],
  top_logprobs: 0,
  top_p: body.top_p ?? null,
  truncation: 'disabled',
  user: body.user ?? null,
  metadata: body.metadata ?? {},
});
