import { type SteppedWork } from '@inference/http';
import {
  booleanAt,
  childOf,
  choiceAt,
  countAt,
  type Fields,
  isGiven,
  listAt,
  nameAt,
  objectAt,
  refuse,
  refuseOthers,
  textAt,
  textsAt,
} from '../fields';

/** A part of a content, and where it stands in the request. */
export interface ChatPart {
  part: Fields;
  path: string;
}

export interface ChatCall {
  id: string;
  name: string;
  /** As the model wrote them, normally JSON. */
  arguments: string;
}

/** Puts the messages of a chat together in the words of a protocol. Refuses parts that it has no words for. */
export interface ConversationWriter {
  instruct(parts: ChatPart[]): void;
  ask(parts: ChatPart[]): void;
  answer(parts: ChatPart[]): void;
  /** @param details of thoughts, as the answers of the gateway have them in `reasoning_details` */
  think(details: Fields[]): void;
  call(call: ChatCall): SteppedWork<void> | void;
  result(callId: string, parts: ChatPart[]): void;
}

export interface ChatTool {
  name: string;
  /** `description`, `parameters`, `strict` and `cache_control` as far as they are given. */
  others: Fields;
}

/** What a chat completion asks for beside its messages. */
export interface ChatSettings {
  model: string;
  isStream: boolean;
  limit: number | undefined;
  stop: string[];
  tools: ChatTool[];
  choice: (typeof CHOICES)[number] | { name: string } | undefined;
  isParallel: boolean | undefined;
  effort: string | undefined;
  /** `response_format` unless it is a text. */
  format: Fields | undefined;
  /** The fields that the protocol takes as they are. */
  same: Fields;
  /** What was left out. */
  ignored: string[];
}

const READ = new Set([
  ...['model', 'messages', 'stream', 'stream_options', 'max_tokens', 'max_completion_tokens', 'n_predict'],
  ...['stop', 'tools', 'tool_choice', 'parallel_tool_calls', 'reasoning_effort', 'response_format'],
]);
const LIMITS = ['max_completion_tokens', 'max_tokens', 'n_predict'];
/** Change nothing of an answer. */
const IGNORED = [
  'metadata',
  'prompt_cache_key',
  'prompt_cache_retention',
  'safety_identifier',
  'store',
  'user',
];
const isEmpty = (value: unknown): boolean => isGiven(value) && Object.keys(value as object).length === 0;
/** Whether values say what a server does without them. */
const USUAL: Record<string, (value: unknown) => boolean> = {
  n: (value) => value === 1,
  logprobs: (value) => value === false,
  top_logprobs: (value) => value === 0,
  frequency_penalty: (value) => value === 0,
  presence_penalty: (value) => value === 0,
  logit_bias: (value) => typeof value === 'object' && !Array.isArray(value) && isEmpty(value),
  modalities: (value) => Array.isArray(value) && value.length === 1 && value[0] === 'text',
  functions: (value) => Array.isArray(value) && value.length === 0,
  service_tier: (value) => value === 'auto',
  store: (value) => value === false,
};
const STREAM_OPTIONS = new Set(['include_usage', 'include_obfuscation']);

/** OpenAI’s SDKs add what they have parsed to the content and the calls of an answer, and clients send these back. */
const PARSED_CONTENT = 'parsed';
const PARSED_ARGUMENTS = 'parsed_arguments';
const ANY_MESSAGE = ['role', 'content'];
const MESSAGES = {
  system: new Set(ANY_MESSAGE),
  developer: new Set(ANY_MESSAGE),
  user: new Set(ANY_MESSAGE),
  assistant: new Set([
    ...ANY_MESSAGE,
    ...['refusal', 'tool_calls', 'reasoning_content', 'reasoning', 'reasoning_details', PARSED_CONTENT],
  ]),
  tool: new Set([...ANY_MESSAGE, 'tool_call_id']),
};
/** What the gateway and servers add to answers, which clients send back. */
const OF_ANSWERS = new Set(['annotations', 'audio', 'function_call']);
const PARTS: Record<string, ReadonlySet<string>> = {
  text: new Set(['type', 'text', 'cache_control']),
  refusal: new Set(['type', 'refusal']),
  image_url: new Set(['type', 'image_url', 'cache_control']),
  file: new Set(['type', 'file', 'cache_control']),
};
const IMAGE = new Set(['url', 'detail']);
const FILE = new Set(['filename', 'file_data', 'file_id']);
const CALL = new Set(['id', 'type', 'function', 'index']);
const CALLED = new Set(['name', 'arguments', PARSED_ARGUMENTS]);
const TOOL = new Set(['type', 'function', 'cache_control']);
const CHOICES = ['auto', 'none', 'required'] as const;
const FUNCTION = new Set(['name', 'description', 'parameters', 'strict']);

/**
 * Reads a chat completion for a server that speaks another protocol. Refuses what cannot be carried over.
 * @param takes names of the fields that the protocol knows by the same name and meaning, and `stop`
 */
export function* readChat(
  body: Fields,
  takes: ReadonlySet<string>,
  writer: ConversationWriter,
): SteppedWork<ChatSettings> {
  const same = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => takes.has(name) && isGiven(value) && name !== 'stop'),
  );
  const ignored = IGNORED.filter((name) => !takes.has(name) && isGiven(body[name]) && !isUsual(name, body));
  const known = new Set([
    ...READ,
    ...takes,
    ...IGNORED,
    ...Object.keys(USUAL).filter((name) => isUsual(name, body)),
  ]);
  refuseOthers(body, '', known);
  if (isGiven(body.stop) && !takes.has('stop'))
    refuse('stop', 'cannot be passed on to the server of this model');
  if (isGiven(body.stream_options))
    refuseOthers(objectAt(body.stream_options, 'stream_options'), 'stream_options', STREAM_OPTIONS);
  yield* readMessages(body.messages, writer, ignored);
  const limits = LIMITS.flatMap((name) => countAt(body[name], name, 1) ?? []);
  const effort = body.reasoning_effort;
  return {
    model: nameAt(body.model, 'model'),
    isStream: booleanAt(body.stream, 'stream') ?? false,
    limit: limits.length > 0 ? Math.min(...limits) : undefined,
    stop: stopOf(body.stop),
    ...(yield* toolsOf(body)),
    isParallel: booleanAt(body.parallel_tool_calls, 'parallel_tool_calls'),
    effort: isGiven(effort) ? nameAt(effort, 'reasoning_effort') : undefined,
    format: formatOf(body.response_format),
    same,
    ignored,
  };
}

const isUsual = (name: string, body: Fields): boolean => USUAL[name]?.(body[name]) ?? false;

function stopOf(stop: unknown): string[] {
  if (!isGiven(stop)) return [];
  return typeof stop === 'string' ? [stop] : textsAt(stop, 'stop');
}

/** @param ignored gets what was left out */
function* readMessages(messages: unknown, writer: ConversationWriter, ignored: string[]): SteppedWork<void> {
  for (const [i, entry] of listAt(messages, 'messages').entries()) {
    yield;
    const path = childOf('messages', i);
    const message = objectAt(entry, path);
    const role = choiceAt(
      message.role,
      childOf(path, 'role'),
      Object.keys(MESSAGES) as (keyof typeof MESSAGES)[],
    );
    refuseUnknown(message, path, role);
    if (role === 'assistant') yield* readAnswer(message, path, writer, ignored);
    else {
      const parts = yield* partsOf(message.content, childOf(path, 'content'));
      if (role === 'tool') writer.result(nameAt(message.tool_call_id, childOf(path, 'tool_call_id')), parts);
      else if (role === 'user') writer.ask(parts);
      else writer.instruct(parts);
    }
  }
}

function refuseUnknown(message: Fields, path: string, role: keyof typeof MESSAGES): void {
  const isEmpty = (name: string) => Array.isArray(message[name]) && message[name].length === 0;
  const empty = role === 'assistant' ? [...OF_ANSWERS].filter(isEmpty) : [];
  refuseOthers(message, path, empty.length > 0 ? new Set([...MESSAGES[role], ...empty]) : MESSAGES[role]);
}

function* readAnswer(
  message: Fields,
  path: string,
  writer: ConversationWriter,
  ignored: string[],
): SteppedWork<void> {
  if (isGiven(message.reasoning_details)) {
    const inner = childOf(path, 'reasoning_details');
    writer.think(
      listAt(message.reasoning_details, inner).map((entry, i) => objectAt(entry, childOf(inner, i))),
    );
  } else
    for (const name of ['reasoning_content', 'reasoning'])
      if (isGiven(message[name]) && message[name] !== '') ignored.push(childOf(path, name));
  const parts = isGiven(message.content) ? yield* partsOf(message.content, childOf(path, 'content')) : [];
  if (isGiven(message.refusal)) {
    const inner = childOf(path, 'refusal');
    parts.push({ part: { type: 'refusal', refusal: textAt(message.refusal, inner) }, path: inner });
  }
  writer.answer(parts.filter(({ part }) => part.text !== '' && part.refusal !== ''));
  if (!isGiven(message.tool_calls)) return;
  for (const [i, entry] of listAt(message.tool_calls, childOf(path, 'tool_calls')).entries()) {
    yield;
    const steps = writer.call(callAt(entry, childOf(childOf(path, 'tool_calls'), i)));
    if (steps) yield* steps;
  }
}

function callAt(entry: unknown, path: string): ChatCall {
  const call = objectAt(entry, path);
  refuseOthers(call, path, CALL);
  if (isGiven(call.type)) choiceAt(call.type, childOf(path, 'type'), ['function']);
  const inner = childOf(path, 'function');
  const called = objectAt(call.function, inner);
  refuseOthers(called, inner, CALLED);
  return {
    id: nameAt(call.id, childOf(path, 'id')),
    name: nameAt(called.name, childOf(inner, 'name')),
    arguments: textAt(called.arguments ?? '', childOf(inner, 'arguments')),
  };
}

function* partsOf(content: unknown, path: string): SteppedWork<ChatPart[]> {
  if (typeof content === 'string') return [{ part: { type: 'text', text: content }, path }];
  if (!Array.isArray(content)) refuse(path, 'must be a text or a list of parts');
  const parts: ChatPart[] = [];
  for (const [i, entry] of (content as unknown[]).entries()) {
    yield;
    parts.push(partAt(entry, childOf(path, i)));
  }
  return parts;
}

function partAt(entry: unknown, path: string): ChatPart {
  const part = objectAt(entry, path);
  const type = choiceAt(part.type, childOf(path, 'type'), Object.keys(PARTS));
  refuseOthers(part, path, PARTS[type]!);
  if (type === 'text' || type === 'refusal') textAt(part[type], childOf(path, type));
  else {
    const inner = childOf(path, type);
    const source = objectAt(part[type], inner);
    refuseOthers(source, inner, type === 'file' ? FILE : IMAGE);
    if (type === 'image_url') nameAt(source.url, childOf(inner, 'url'));
  }
  return { part, path };
}

function* toolsOf({
  tools,
  tool_choice: choice,
}: Fields): SteppedWork<Pick<ChatSettings, 'tools' | 'choice'>> {
  const read: ChatTool[] = [];
  for (const [i, tool] of (isGiven(tools) ? listAt(tools, 'tools') : []).entries()) {
    yield;
    read.push(toolAt(tool, childOf('tools', i)));
  }
  if (!isGiven(choice)) return { tools: read, choice: undefined };
  if (typeof choice === 'string') return { tools: read, choice: choiceAt(choice, 'tool_choice', CHOICES) };
  const named = objectAt(choice, 'tool_choice');
  choiceAt(named.type, 'tool_choice.type', ['function']);
  const { name } = objectAt(named.function, 'tool_choice.function');
  return { tools: read, choice: { name: nameAt(name, 'tool_choice.function.name') } };
}

function toolAt(entry: unknown, path: string): ChatTool {
  const tool = objectAt(entry, path);
  choiceAt(tool.type, childOf(path, 'type'), ['function']);
  refuseOthers(tool, path, TOOL);
  const inner = childOf(path, 'function');
  const described = objectAt(tool.function, inner);
  refuseOthers(described, inner, FUNCTION);
  const given = Object.entries({ ...described, cache_control: tool.cache_control });
  const others = given.filter(([name, value]) => name !== 'name' && isGiven(value));
  return { name: nameAt(described.name, childOf(inner, 'name')), others: Object.fromEntries(others) };
}

function formatOf(given: unknown): Fields | undefined {
  if (!isGiven(given)) return undefined;
  const format = objectAt(given, 'response_format');
  const type = choiceAt(format.type, 'response_format.type', ['text', 'json_object', 'json_schema']);
  if (type === 'json_schema') objectAt(format.json_schema, 'response_format.json_schema');
  return type === 'text' ? undefined : format;
}
