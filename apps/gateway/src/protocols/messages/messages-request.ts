import { GatewayError } from '../../errors/openai-error';
import { ChatConversation } from '../chat/chat-conversation';
import {
  booleanAt,
  childOf,
  choiceAt,
  countAt,
  type Fields,
  isGiven,
  listAt,
  nameAt,
  numberAt,
  objectAt,
  refuse,
  refuseOthers,
  textAt,
} from '../fields';
import { type ReadBody } from '../json';
import { type TranslatedRequest } from '../protocol';
import { MessagesAnswer } from './messages-answer';

/** Change nothing of what a chat server answers. */
const IGNORED = [
  'metadata',
  'service_tier',
  'context_management',
  'diagnostics',
  'user_profile_id',
  'workspace_id',
];

const KNOWN = new Set([
  ...IGNORED,
  ...[
    'model',
    'messages',
    'max_tokens',
    'system',
    'stream',
    'stop_sequences',
    'temperature',
    'top_p',
    'top_k',
  ],
  ...['tools', 'tool_choice', 'thinking', 'output_config', 'output_format', 'cache_control'],
]);
const known = (...names: string[]): ReadonlySet<string> => new Set(['type', 'cache_control', ...names]);

const TEXT = known('text', 'citations');
const IMAGE = known('source');
const DOCUMENT = known('source', 'title', 'context', 'citations');
const THINKING = known('thinking', 'signature');
const CALL = known('id', 'name', 'input', 'caller');
const RESULT = known('tool_use_id', 'content', 'is_error');
const TOOL = known(
  'name',
  'description',
  'input_schema',
  'strict',
  'defer_loading',
  'eager_input_streaming',
  'input_examples',
);
const MESSAGE = new Set(['role', 'content']);
const SOURCES = {
  base64: new Set(['type', 'media_type', 'data']),
  url: new Set(['type', 'url']),
  text: new Set(['type', 'media_type', 'data']),
  content: new Set(['type', 'content']),
};
const THINKING_CONFIG = new Set(['type', 'budget_tokens', 'display']);
const OUTPUT_FORMAT = new Set(['type', 'schema']);
const TOOL_CHOICE = new Set(['type', 'name', 'disable_parallel_tool_use']);

const SHOWN_TYPE_CHARS = 64;

/** Budgets of thoughts in tokens from which on the effort is higher. Chosen: a chat server knows three efforts, not a budget. */
const MEDIUM_BUDGET = 4_096;
const HIGH_BUDGET = 16_384;
const LEAST_BUDGET = 1;
const EFFORTS: Record<string, string> = {
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

/** A conversation that the server is to keep. Anthropic's SDK knows the code, and goes on by sending all messages. */
class ThreadUnsupportedError extends GatewayError {
  constructor() {
    super(
      'thread_unsupported_request',
      'thread: conversations are not kept here. Send all messages with each request.',
      'thread',
    );
  }
}

/** Translates a request of Anthropic's Messages. @param isCount of count_tokens, which has no limit of the answer */
export function readMessagesRequest({ fields: body, write }: ReadBody, isCount = false): TranslatedRequest {
  if (isGiven(body.thread)) throw new ThreadUnsupportedError();
  refuseOthers(body, '', KNOWN);
  const isStream = booleanAt(body.stream, 'stream') ?? false;
  const maxTokens = countAt(body.max_tokens, 'max_tokens', 1);
  if (maxTokens === undefined && !isCount) refuse('max_tokens', 'must be given');
  const model = nameAt(body.model, 'model');
  const stopSequences = isGiven(body.stop_sequences)
    ? listAt(body.stop_sequences, 'stop_sequences').map((text, i) =>
        textAt(text, childOf('stop_sequences', i)),
      )
    : [];
  const chat: Fields = { model, messages: conversationOf(body, write, isCount) };
  const set = (name: string, value: unknown) => isGiven(value) && (chat[name] = value);
  set('max_tokens', maxTokens);
  set('temperature', numberAt(body.temperature, 'temperature', [0, 2]));
  set('top_p', numberAt(body.top_p, 'top_p', [0, 1]));
  set('top_k', countAt(body.top_k, 'top_k', 0));
  if (stopSequences.length > 0) chat.stop = stopSequences;
  const thinking = readThinking(body);
  Object.assign(chat, toolsOf(body), thinking.chat, formatOf(body));
  if (isStream) Object.assign(chat, { stream: true, stream_options: { include_usage: true } });
  return {
    chat,
    isStream,
    ignored: [...IGNORED.filter((name) => isGiven(body[name])), ...thinking.ignored, ...ignoredOfTools(body)],
    // Their types are refused.
    hasServerTools: false,
    writer: (requestId) => new MessagesAnswer(requestId, model, stopSequences),
  };
}

type Write = ReadBody['write'];

function conversationOf({ system, messages }: Fields, write: Write, isCount: boolean): Fields[] {
  const conversation = new ChatConversation();
  if (isGiven(system)) conversation.instruct(instructionsAt(system, 'system'));
  for (const [i, entry] of listAt(messages, 'messages').entries()) {
    const path = childOf('messages', i);
    const message = objectAt(entry, path);
    refuseOthers(message, path, MESSAGE);
    const role = choiceAt(message.role, childOf(path, 'role'), ['user', 'assistant', 'system']);
    const inner = childOf(path, 'content');
    if (role === 'system') conversation.instruct(instructionsAt(message.content, inner));
    else if (role === 'user') addQuestion(conversation, message.content, inner);
    else addAnswer(conversation, message.content, inner, write);
  }
  if (conversation.messages.at(-1)?.role === 'assistant' && !isCount)
    refuse(
      'messages',
      'must not end with the assistant: the server of this model cannot go on with a begun answer',
    );
  return conversation.messages;
}

/** The blocks of a content; a text is one block. */
function blocksAt(content: unknown, path: string): [block: Fields, path: string][] {
  if (typeof content === 'string') return [[{ type: 'text', text: content }, path]];
  if (!Array.isArray(content)) refuse(path, 'must be a text or a list of blocks');
  return (content as unknown[]).map((block, i) => [objectAt(block, childOf(path, i)), childOf(path, i)]);
}

function instructionsAt(content: unknown, path: string): string {
  const texts = blocksAt(content, path).map(([block, inner]) => {
    choiceAt(block.type, childOf(inner, 'type'), ['text']);
    return textOf(block, inner);
  });
  return texts.join('\n\n');
}

function textOf(block: Fields, path: string): string {
  refuseOthers(block, path, TEXT);
  if (Array.isArray(block.citations) && block.citations.length > 0)
    refuse(childOf(path, 'citations'), 'cannot be passed on to the server of this model');
  return textAt(block.text, childOf(path, 'text'));
}

function addQuestion(conversation: ChatConversation, content: unknown, path: string): void {
  const parts: Fields[] = [];
  const attached: Fields[] = [];
  for (const [block, inner] of blocksAt(content, path)) {
    if (block.type === 'tool_result') attached.push(...addResult(conversation, block, inner));
    else parts.push(...partsOf(block, inner, true));
  }
  conversation.ask([...attached, ...parts]);
}

/** Returns what a message of a tool cannot hold, to be sent from the user. */
function addResult(conversation: ChatConversation, block: Fields, path: string): Fields[] {
  refuseOthers(block, path, RESULT);
  const id = nameAt(block.tool_use_id, childOf(path, 'tool_use_id'));
  const inner = childOf(path, 'content');
  const parts = isGiven(block.content)
    ? blocksAt(block.content, inner).flatMap(([part, partPath]) => partsOf(part, partPath))
    : [];
  const hasFailed = booleanAt(block.is_error, childOf(path, 'is_error'));
  conversation.result(id, hasFailed ? [{ type: 'text', text: 'Error:' }, ...parts] : parts);
  const attached = parts.filter(({ type }) => type !== 'text');
  return attached.length > 0 ? [{ type: 'text', text: `Attached to the result of ${id}:` }, ...attached] : [];
}

/** A block of the user as parts of a chat message. @param mayBeResult whether a result of a tool could stand there instead */
function partsOf(block: Fields, path: string, mayBeResult = false): Fields[] {
  if (block.type === 'text') return [{ type: 'text', text: textOf(block, path) }];
  if (block.type === 'image') return [imageOf(block, path)];
  if (block.type === 'document') return documentOf(block, path);
  const kinds = mayBeResult ? 'text, image, document or tool_result' : 'text, image or document';
  return refuse(
    childOf(path, 'type'),
    `must be ${kinds}: other blocks cannot be passed on to the server of this model`,
  );
}

function imageOf(block: Fields, path: string): Fields {
  refuseOthers(block, path, IMAGE);
  return { type: 'image_url', image_url: { url: addressOf(block.source, childOf(path, 'source')) } };
}

/** The address of what a source holds: its own, or one with the data. */
function addressOf(given: unknown, path: string): string {
  const source = objectAt(given, path);
  const type = choiceAt(source.type, childOf(path, 'type'), ['base64', 'url']);
  refuseOthers(source, path, SOURCES[type]);
  if (type === 'url') return nameAt(source.url, childOf(path, 'url'));
  const mediaType = nameAt(source.media_type, childOf(path, 'media_type'));
  return `data:${mediaType};base64,${textAt(source.data, childOf(path, 'data'))}`;
}

function documentOf(block: Fields, path: string): Fields[] {
  refuseOthers(block, path, DOCUMENT);
  if (isGiven(block.citations) && objectAt(block.citations, childOf(path, 'citations')).enabled === true)
    refuse(childOf(path, 'citations.enabled'), 'cannot be passed on to the server of this model');
  const texts = ['title', 'context'].flatMap((name) =>
    isGiven(block[name]) ? [textAt(block[name], childOf(path, name))] : [],
  );
  const introduction = texts.map((text): Fields => ({ type: 'text', text }));
  const inner = childOf(path, 'source');
  const source = objectAt(block.source, inner);
  const type = choiceAt(source.type, childOf(inner, 'type'), ['base64', 'text', 'content']);
  refuseOthers(source, inner, SOURCES[type]);
  if (type === 'text')
    return [...introduction, { type: 'text', text: textAt(source.data, childOf(inner, 'data')) }];
  if (type === 'content') {
    const blocks = blocksAt(source.content, childOf(inner, 'content'));
    return [...introduction, ...blocks.flatMap(([part, partPath]) => partsOf(part, partPath))];
  }
  const filename = texts[0] ?? 'document.pdf';
  return [...introduction, { type: 'file', file: { filename, file_data: addressOf(source, inner) } }];
}

function addAnswer(conversation: ChatConversation, content: unknown, path: string, write: Write): void {
  for (const [block, inner] of blocksAt(content, path)) {
    if (block.type === 'text') conversation.answer(textOf(block, inner));
    else if (block.type === 'thinking') {
      refuseOthers(block, inner, THINKING);
      conversation.think(textAt(block.thinking, childOf(inner, 'thinking')));
    } else if (block.type === 'tool_use') addCall(conversation, block, inner, write);
    else
      refuse(
        childOf(inner, 'type'),
        'must be text, thinking or tool_use: other blocks cannot be passed on to the server of this model',
      );
  }
}

function addCall(conversation: ChatConversation, block: Fields, path: string, write: Write): void {
  refuseOthers(block, path, CALL);
  if (isGiven(block.caller))
    choiceAt(objectAt(block.caller, childOf(path, 'caller')).type, childOf(path, 'caller.type'), ['direct']);
  conversation.call({
    id: nameAt(block.id, childOf(path, 'id')),
    name: nameAt(block.name, childOf(path, 'name')),
    arguments: write(objectAt(block.input, childOf(path, 'input'))),
  });
}

function toolsOf({ tools, tool_choice: choice }: Fields): Fields {
  const chat: Fields = {};
  const functions = isGiven(tools)
    ? listAt(tools, 'tools').map((tool, i) => toolOf(tool, childOf('tools', i)))
    : [];
  refuseRepeatedNames(functions);
  if (functions.length > 0) chat.tools = functions;
  if (!isGiven(choice)) return chat;
  const fields = objectAt(choice, 'tool_choice');
  refuseOthers(fields, 'tool_choice', TOOL_CHOICE);
  const type = choiceAt(fields.type, 'tool_choice.type', ['auto', 'any', 'tool', 'none']);
  if (type === 'tool')
    chat.tool_choice = { type: 'function', function: { name: nameAt(fields.name, 'tool_choice.name') } };
  else chat.tool_choice = type === 'any' ? 'required' : type;
  const isSingle = booleanAt(fields.disable_parallel_tool_use, 'tool_choice.disable_parallel_tool_use');
  if (isSingle) chat.parallel_tool_calls = false;
  // Servers refuse a choice without tools.
  if (functions.length === 0) {
    if (type === 'any' || type === 'tool') refuse('tool_choice', 'must not demand a tool if there are none');
    delete chat.tool_choice;
    delete chat.parallel_tool_calls;
  }
  return chat;
}

/** As Anthropic does: a call could mean either tool. */
function refuseRepeatedNames(functions: Fields[]): void {
  const names = new Set<unknown>();
  for (const [i, { function: tool }] of functions.entries()) {
    const { name } = tool as { name: string };
    if (names.has(name)) refuse(`tools.${i}.name`, 'Tool names must be unique.');
    names.add(name);
  }
}

/** Examples of input, which chat servers do not know. */
const ignoredOfTools = ({ tools }: Fields): string[] =>
  ((tools as Fields[] | undefined) ?? []).flatMap(({ input_examples: examples }, i) =>
    isGiven(examples) ? `tools.${i}.input_examples` : [],
  );

function toolOf(given: unknown, path: string): Fields {
  const tool = objectAt(given, path);
  if (isGiven(tool.type) && tool.type !== 'custom')
    refuse(
      childOf(path, 'type'),
      `${textAt(tool.type, childOf(path, 'type')).slice(0, SHOWN_TYPE_CHARS)} cannot be run by the server of this model`,
    );
  refuseOthers(tool, path, TOOL);
  // Claude Code sends such tools at once when they are refused.
  if (booleanAt(tool.defer_loading, childOf(path, 'defer_loading')))
    refuse(
      childOf(path, 'defer_loading'),
      'must not be true: the server of this model cannot load tools later',
    );
  const { description, strict } = tool;
  return {
    type: 'function',
    function: {
      name: nameAt(tool.name, childOf(path, 'name')),
      ...(isGiven(description) && { description: textAt(description, childOf(path, 'description')) }),
      parameters: objectAt(tool.input_schema, childOf(path, 'input_schema')),
      ...(isGiven(strict) && { strict: booleanAt(strict, childOf(path, 'strict')) }),
    },
  };
}

/**
 * How much the model is to think. Without either field it decides itself. What names the effort goes before a budget, and thoughts cannot
 * be switched off or hidden: few models know how.
 */
function readThinking({ thinking, output_config: output }: Fields): { chat: Fields; ignored: string[] } {
  const wish = isGiven(output) ? objectAt(output, 'output_config').effort : undefined;
  const effort = isGiven(wish)
    ? EFFORTS[choiceAt(wish, 'output_config.effort', Object.keys(EFFORTS))]
    : undefined;
  const chatOf = (named: string | undefined) => (named === undefined ? {} : { reasoning_effort: named });
  if (!isGiven(thinking)) return { chat: chatOf(effort), ignored: [] };
  const fields = objectAt(thinking, 'thinking');
  refuseOthers(fields, 'thinking', THINKING_CONFIG);
  const type = choiceAt(fields.type, 'thinking.type', ['enabled', 'disabled', 'adaptive']);
  const budget = countAt(fields.budget_tokens, 'thinking.budget_tokens', LEAST_BUDGET);
  if (type === 'enabled' && budget === undefined) refuse('thinking.budget_tokens', 'must be given');
  const ignored: string[] = type === 'disabled' ? ['thinking'] : [];
  if (isGiven(fields.display)) {
    choiceAt(fields.display, 'thinking.display', ['summarized', 'omitted']);
    ignored.push('thinking.display');
  }
  const hasBudget = budget !== undefined && type === 'enabled' && effort === undefined;
  if (budget !== undefined && !hasBudget) ignored.push('thinking.budget_tokens');
  return { chat: chatOf(hasBudget ? effortOf(budget) : effort), ignored };
}

function effortOf(budget: number): string {
  if (budget >= HIGH_BUDGET) return 'high';
  return budget >= MEDIUM_BUDGET ? 'medium' : 'low';
}

/** The form of the answer. `output_format` is the former name. */
function formatOf({ output_config: output, output_format: former }: Fields): Fields {
  if (isGiven(output))
    refuseOthers(objectAt(output, 'output_config'), 'output_config', new Set(['effort', 'format']));
  const format = (output as Fields | undefined)?.format;
  const [given, path] = isGiven(format) ? [format, 'output_config.format'] : [former, 'output_format'];
  if (!isGiven(given)) return {};
  const fields = objectAt(given, path);
  choiceAt(fields.type, childOf(path, 'type'), ['json_schema']);
  refuseOthers(fields, path, OUTPUT_FORMAT);
  const schema = objectAt(fields.schema, childOf(path, 'schema'));
  return { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } } };
}
