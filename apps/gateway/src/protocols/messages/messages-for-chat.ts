import { AT_ONCE_BYTES, JsonFault, jsonSteps, RawJson, type SteppedWork } from '@inference/http';
import { isObjectText } from '@inference/model-calls';
import { ANTHROPIC_VERSION } from '@inference/serving';
import { type TranslatedCall } from '../../upstreams/upstream-request';
import { AnswerForChat } from '../chat/chat-chunks';
import {
  type ChatCall,
  type ChatPart,
  type ChatSettings,
  type ChatTool,
  type ConversationWriter,
  readChat,
} from '../chat/chat-request';
import { childOf, type Fields, isGiven, refuse, textAt } from '../fields';
import { readBody, type ReadBody } from '../json';

const TAKES = new Set(['temperature', 'top_p', 'top_k', 'thinking', 'stop']);
const EFFORTS: Record<string, string> = { minimal: 'low' };
const STOPS: Record<string, string> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
  tool_use: 'tool_calls',
};
const BASE64 = ';base64,';
const NO_PARAMETERS = { type: 'object', properties: {} };

/**
 * Translates a chat completion for a server that speaks Messages.
 * @param outputTokens the longest answer that was admitted: Messages demand a limit
 */
export async function messagesForChat(raw: Buffer, outputTokens: number): Promise<TranslatedCall> {
  const { fields, work, writeWhole } = await readBody(raw);
  const conversation = new MessagesConversation();
  const settings = await work(readChat(fields, TAKES, conversation));
  const { system, messages } = conversation;
  const { model, limit = outputTokens, stop, isStream, same, effort } = settings;
  const body: Fields = {
    model,
    max_tokens: limit,
    ...same,
    ...(stop.length > 0 && { stop_sequences: stop }),
    ...(isStream && { stream: true }),
    ...(isGiven(fields.user) && { metadata: { user_id: textAt(fields.user, 'user') } }),
    ...toolsOf(settings),
    ...outputOf(settings),
    ...(effort === 'none' && !isGiven(same.thinking) && { thinking: { type: 'disabled' } }),
    ...(system.length > 0 && { system }),
    messages,
  };
  return {
    body: await writeWhole(body, true),
    headers: { 'anthropic-version': ANTHROPIC_VERSION },
    ignored: [...settings.ignored.filter((name) => name !== 'user'), ...conversation.ignored],
    answer: new MessagesForChat(),
  };
}

function toolsOf({ tools, choice, isParallel }: ChatSettings): Fields {
  // Servers refuse a choice without tools.
  if (tools.length === 0) return {};
  const type =
    choice === 'required' ? 'any' : typeof choice === 'string' ? choice : choice ? 'tool' : undefined;
  const isSingle = isParallel === false && type !== 'none';
  return {
    tools: tools.map(toolOf),
    ...((type !== undefined || isSingle) && {
      tool_choice: {
        type: type ?? 'auto',
        ...(typeof choice === 'object' && { name: choice.name }),
        ...(isSingle && { disable_parallel_tool_use: true }),
      },
    }),
  };
}

const toolOf = ({ name, others: { parameters = NO_PARAMETERS, ...others } }: ChatTool): Fields => ({
  name,
  ...others,
  input_schema: parameters,
});

function outputOf({ effort, format }: ChatSettings): Fields {
  if (format?.type === 'json_object')
    refuse(
      'response_format.type',
      'must be json_schema: the server of this model cannot do without a schema',
    );
  const schema = (format?.json_schema as Fields | undefined)?.schema;
  if (format && !isGiven(schema)) refuse('response_format.json_schema.schema', 'must be given');
  const config = {
    ...(effort !== undefined && effort !== 'none' && { effort: EFFORTS[effort] ?? effort }),
    ...(format && { format: { type: 'json_schema', schema } }),
  };
  return Object.keys(config).length > 0 ? { output_config: config } : {};
}

interface Message {
  role: 'user' | 'assistant' | 'system';
  content: Fields[];
}

class MessagesConversation implements ConversationWriter {
  readonly system: Fields[] = [];
  readonly messages: Message[] = [];
  readonly ignored: string[] = [];

  instruct(parts: ChatPart[]): void {
    const blocks = parts.map((part) => this.textOf(part));
    if (this.messages.length === 0) this.system.push(...blocks);
    else this.blocksOf('system').push(...blocks);
  }

  ask(parts: ChatPart[]): void {
    this.blocksOf('user').push(...parts.map((part) => this.blockOf(part)));
  }

  answer(parts: ChatPart[]): void {
    if (parts.length > 0) this.blocksOf('assistant').push(...parts.map((part) => this.textOf(part)));
  }

  think(details: Fields[]): void {
    for (const { type, text, signature, data } of details)
      if (type === 'reasoning.encrypted' && typeof data === 'string')
        this.blocksOf('assistant').push({ type: 'redacted_thinking', data });
      // Thoughts without the signature of their maker are refused.
      else if (typeof signature === 'string')
        this.blocksOf('assistant').push({ type: 'thinking', thinking: text ?? '', signature });
  }

  *call({ id, name, arguments: text }: ChatCall): SteppedWork<void> {
    const isEmptyText = text.length < AT_ONCE_BYTES && text.trim() === '';
    const isObject = text.length < AT_ONCE_BYTES ? isObjectText(text) : yield* isLongObjectText(text);
    // As the model wrote them.
    const input = isEmptyText ? {} : isObject ? new RawJson(text) : { arguments: text };
    this.blocksOf('assistant').push({ type: 'tool_use', id, name, input });
  }

  result(callId: string, parts: ChatPart[]): void {
    const content = parts.map((part) => this.blockOf(part));
    this.blocksOf('user').push({ type: 'tool_result', tool_use_id: callId, content });
  }

  /** Messages of one speaker that follow each other are one: the results of calls have to stand together. */
  private blocksOf(role: Message['role']): Fields[] {
    const last = this.messages.at(-1);
    if (last?.role === role) return last.content;
    const content: Fields[] = [];
    this.messages.push({ role, content });
    return content;
  }

  private textOf({ part, path }: ChatPart): Fields {
    const { type, text, refusal, cache_control } = part;
    if (type !== 'text' && type !== 'refusal') refuse(path, 'must be a text');
    return { type: 'text', text: text ?? refusal, cache_control };
  }

  private blockOf({ part, path }: ChatPart): Fields {
    const { type, cache_control } = part;
    if (type === 'image_url') {
      const { url, detail } = part.image_url as { url: string; detail?: unknown };
      if (isGiven(detail) && detail !== 'auto') this.ignored.push(childOf(path, 'image_url.detail'));
      return { type: 'image', source: sourceOf(url), cache_control };
    }
    if (type !== 'file') return this.textOf({ part, path });
    const { file_data: data, file_id: id, filename: title } = part.file as Fields;
    if (isGiven(id)) refuse(childOf(path, 'file.file_id'), 'cannot be passed on to the server of this model');
    const source = sourceOf(textAt(data, childOf(path, 'file.file_data')));
    return { type: 'document', source, title: title ?? undefined, cache_control };
  }
}

function* isLongObjectText(text: string): SteppedWork<boolean> {
  try {
    const { value } = yield* jsonSteps(Buffer.from(text));
    return value !== null && typeof value === 'object' && !Array.isArray(value);
  } catch (error) {
    if (error instanceof JsonFault) return false;
    throw error;
  }
}

/** Where a picture or document is: in the address itself, or there. */
function sourceOf(url: string): Fields {
  const end = url.startsWith('data:') ? url.indexOf(BASE64) : -1;
  if (end === -1) return { type: 'url', url };
  return {
    type: 'base64',
    media_type: url.slice('data:'.length, end),
    data: url.slice(end + BASE64.length),
  };
}

/** The answer of a server that speaks Messages. */
class MessagesForChat extends AnswerForChat {
  private readonly callOfBlock = new Map<unknown, number>();
  private thought = '';

  protected whole(message: Fields, write: ReadBody['write']): Buffer | undefined {
    const { type, content } = message;
    if (type !== 'message' || !Array.isArray(content)) return undefined;
    return this.writer.whole(answerOf(content as Fields[], write), finishOf(message));
  }

  protected readEvent(event: Fields): void {
    const { writer } = this;
    const { type, message, delta, usage, error } = event as Record<string, Fields | undefined>;
    switch (type as unknown) {
      case 'message_start':
        Object.assign(writer.answered, { id: message?.id, model: message?.model });
        this.readReport(message ?? {});
        return writer.begin();
      case 'content_block_start':
        return this.begin(event);
      case 'content_block_delta':
        return this.add(event, delta ?? {});
      case 'message_delta':
        if (usage) this.readReport(event);
        if (isGiven(delta?.stop_reason)) writer.chunk({}, finishOf(delta!));
        return;
      case 'message_stop':
        return writer.end();
      case 'error':
        return writer.fail(error);
      default:
    }
  }

  private begin({ index, content_block: given }: Fields): void {
    const { writer } = this;
    const block = (given ?? {}) as Fields;
    if (block.type === 'tool_use') {
      const text = isEmpty(block.input) ? '' : JSON.stringify(block.input);
      this.callOfBlock.set(index, writer.call(block.id, block.name, text));
    } else if (block.type === 'redacted_thinking') writer.detail(detailOf(block));
    else if (block.type === 'text' && block.text) writer.chunk({ content: block.text });
    else if (block.type === 'thinking') this.think(textOf(block.thinking));
  }

  private add({ index }: Fields, { text, thinking, partial_json: json, signature }: Fields): void {
    const { writer } = this;
    if (typeof text === 'string') writer.chunk({ content: text });
    else if (typeof thinking === 'string') this.think(thinking);
    else if (typeof json === 'string') {
      const call = { index: this.callOfBlock.get(index), function: { arguments: json } };
      if (json !== '') writer.chunk({ tool_calls: [call] });
    } else if (typeof signature === 'string') {
      writer.detail(detailOf({ thinking: this.thought, signature }));
      this.thought = '';
    }
  }

  private think(text: string): void {
    if (text === '') return;
    this.thought += text;
    this.writer.chunk({ reasoning_content: text });
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const isEmpty = (input: unknown): boolean => !isGiven(input) || Object.keys(input as object).length === 0;

/** What only its maker can read of a thought, in the words of OpenRouter. */
const detailOf = ({ thinking, signature, data }: Fields): Fields =>
  data === undefined
    ? { type: 'reasoning.text', text: thinking, signature }
    : { type: 'reasoning.encrypted', data };

/** Why a message ends. Which of the stop texts it was is told as vLLM does. */
function finishOf({ stop_reason: reason, stop_sequence: sequence }: Fields): Fields {
  const finish = { finish_reason: STOPS[textOf(reason)] ?? 'stop' };
  return isGiven(sequence) ? { ...finish, stop_reason: sequence } : finish;
}

function answerOf(blocks: Fields[], write: ReadBody['write']): Fields {
  const of = (...types: string[]) => blocks.filter(({ type }) => types.includes(type as string));
  const joined = (name: string, type: string) =>
    of(type)
      .map((block) => textOf(block[name]))
      .join('');
  const thought = joined('thinking', 'thinking');
  const details = of('thinking', 'redacted_thinking').map(detailOf);
  const calls = of('tool_use').map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: write(input) },
  }));
  return {
    content: of('text').length > 0 ? joined('text', 'text') : null,
    ...(thought !== '' && { reasoning_content: thought }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}
