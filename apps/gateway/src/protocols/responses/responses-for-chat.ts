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
import { childOf, type Fields, isGiven, refuse } from '../fields';
import { readBody } from '../json';

const TAKES = new Set([
  ...['temperature', 'top_p', 'verbosity', 'service_tier', 'metadata'],
  ...['prompt_cache_key', 'prompt_cache_retention', 'safety_identifier', 'user'],
]);
const CUTS: Record<string, string> = { max_output_tokens: 'length', content_filter: 'content_filter' };
const NO_PARAMETERS = { type: 'object', properties: {} };

/** Translates a chat completion for a server that speaks Responses. */
export async function responsesForChat(raw: Buffer): Promise<TranslatedCall> {
  const { fields, work, writeWhole } = await readBody(raw);
  const conversation = new ResponsesConversation();
  const settings = await work(readChat(fields, TAKES, conversation));
  const { verbosity, ...same } = settings.same;
  const { model, limit, isStream, effort, tools } = settings;
  const text = { ...formatOf(settings), ...(isGiven(verbosity) && { verbosity }) };
  const body: Fields = {
    model,
    // Without the field, servers store the answer.
    store: false,
    ...same,
    ...(limit !== undefined && { max_output_tokens: limit }),
    ...(isStream && { stream: true }),
    ...(effort !== undefined && { reasoning: { effort } }),
    ...(Object.keys(text).length > 0 && { text }),
    ...(tools.length > 0 && toolsOf(settings)),
    input: conversation.items,
  };
  return {
    body: await writeWhole(body),
    headers: {},
    ignored: [...settings.ignored, ...conversation.ignored],
    answer: new ResponsesForChat(),
  };
}

function toolsOf({ tools, choice, isParallel }: ChatSettings): Fields {
  return {
    tools: tools.map(toolOf),
    ...(choice !== undefined && {
      tool_choice: typeof choice === 'object' ? { type: 'function', name: choice.name } : choice,
    }),
    ...(isParallel !== undefined && { parallel_tool_calls: isParallel }),
  };
}

function toolOf({ name, others }: ChatTool): Fields {
  const { parameters = NO_PARAMETERS, strict = false, description } = others;
  // Without the field a schema is strict there, unlike in chat completions.
  return { type: 'function', name, description, parameters, strict };
}

function formatOf({ format }: ChatSettings): Fields {
  if (!format) return {};
  const { type, json_schema: schema } = format as { type: string; json_schema?: Fields };
  return { format: { type, ...schema } };
}

class ResponsesConversation implements ConversationWriter {
  readonly items: Fields[] = [];
  readonly ignored: string[] = [];

  instruct(parts: ChatPart[]): void {
    this.items.push({ role: 'system', content: this.contentOf(parts) });
  }

  ask(parts: ChatPart[]): void {
    this.items.push({ role: 'user', content: this.contentOf(parts) });
  }

  answer(parts: ChatPart[]): void {
    const content = parts.map(({ part: { type, text, refusal }, path }) => {
      if (type === 'refusal') return { type, refusal };
      return type === 'text' ? { type: 'output_text', text } : refuse(path, 'must be a text');
    });
    if (content.length > 0) this.items.push({ role: 'assistant', content });
  }

  think(details: Fields[]): void {
    // Only their maker could read them, and no answer of a server with this protocol has them.
    if (details.length > 0) this.ignored.push('messages.*.reasoning_details');
  }

  call({ id, ...call }: ChatCall): void {
    this.items.push({ type: 'function_call', call_id: id, ...call });
  }

  result(callId: string, parts: ChatPart[]): void {
    const [only] = parts;
    const isText = parts.length === 1 && only!.part.type === 'text';
    const output = isText ? only!.part.text : this.contentOf(parts);
    this.items.push({ type: 'function_call_output', call_id: callId, output });
  }

  private contentOf(parts: ChatPart[]): Fields[] {
    return parts.map(({ part, path }) => {
      if (isGiven(part.cache_control)) this.ignored.push(childOf(path, 'cache_control'));
      if (part.type === 'text') return { type: 'input_text', text: part.text };
      if (part.type === 'image_url') {
        const { url, detail } = part.image_url as Fields;
        return { type: 'input_image', image_url: url, detail: detail ?? 'auto' };
      }
      if (part.type !== 'file') refuse(path, 'must be a text, a picture or a file');
      return { type: 'input_file', ...(part.file as Fields) };
    });
  }
}

/** The answer of a server that speaks Responses. */
class ResponsesForChat extends AnswerForChat {
  private readonly callOfItem = new Map<unknown, { index: number; hasText: boolean }>();

  protected whole(response: Fields): Buffer | undefined {
    const { object, output, status } = response;
    if (object !== 'response' || !Array.isArray(output) || status === 'failed') return undefined;
    const items = output as Fields[];
    return this.writer.whole(answerOf(items), finishOf(response, items.some(isCall)));
  }

  protected readEvent(event: Fields): void {
    const { writer } = this;
    const { type, response, delta, item } = event as Fields & { response?: Fields; item?: Fields };
    switch (type) {
      case 'response.created':
        Object.assign(writer.answered, { id: response?.id, model: response?.model });
        return writer.begin();
      case 'response.output_text.delta':
        return writer.chunk({ content: delta });
      case 'response.refusal.delta':
        return writer.chunk({ refusal: delta });
      case 'response.reasoning_text.delta':
      case 'response.reasoning_summary_text.delta':
        return writer.chunk({ reasoning_content: delta });
      case 'response.output_item.added':
        if (item && isCall(item)) this.begin(event, item);
        return;
      case 'response.function_call_arguments.delta':
        return this.add(event, delta);
      case 'response.output_item.done':
        if (item && isCall(item)) this.complete(event, item);
        return;
      case 'response.completed':
      case 'response.incomplete':
        return this.finish(response ?? {});
      case 'response.failed':
        return writer.fail(response?.error);
      case 'error':
        return writer.fail(event.error ?? { ...event, type: undefined });
      default:
    }
  }

  private begin({ output_index: index }: Fields, { call_id: id, name, arguments: text }: Fields): void {
    const begun = typeof text === 'string' ? text : '';
    this.callOfItem.set(index, { index: this.writer.call(id, name, begun), hasText: begun !== '' });
  }

  private add({ output_index: index }: Fields, delta: unknown): void {
    const call = this.callOfItem.get(index);
    if (!call || typeof delta !== 'string' || delta === '') return;
    call.hasText = true;
    this.writer.chunk({ tool_calls: [{ index: call.index, function: { arguments: delta } }] });
  }

  /** Some servers send the arguments, or the whole call, only when it is complete. */
  private complete(event: Fields, item: Fields): void {
    const call = this.callOfItem.get(event.output_index);
    if (!call) this.begin(event, item);
    else if (!call.hasText) this.add(event, item.arguments);
  }

  private finish(response: Fields): void {
    this.readReport(response);
    this.writer.chunk({}, finishOf(response, this.callOfItem.size > 0));
    this.writer.end();
  }
}

const isCall = ({ type }: Fields): boolean => type === 'function_call';

function finishOf({ incomplete_details: details }: Fields, hasCall: boolean): Fields {
  const cut = CUTS[((details as Fields | null | undefined)?.reason as string | undefined) ?? ''];
  return { finish_reason: cut ?? (hasCall ? 'tool_calls' : 'stop') };
}

function answerOf(items: Fields[]): Fields {
  const partsOf = (type: string, ...names: string[]) =>
    items
      .filter((item) => item.type === type)
      .flatMap(
        (item) =>
          names.map((name) => item[name]).find((list) => Array.isArray(list) && list.length > 0) ?? [],
      ) as Fields[];
  const content = partsOf('message', 'content');
  const joined = (parts: Fields[], name: string) =>
    parts.map((part) => (typeof part[name] === 'string' ? part[name] : '')).join('');
  const [text, refusal] = [joined(content, 'text'), joined(content, 'refusal')];
  const thought = joined(partsOf('reasoning', 'content', 'summary'), 'text');
  const calls = items.filter(isCall).map(({ call_id: id, name, arguments: called }) => ({
    id,
    type: 'function',
    function: { name, arguments: called },
  }));
  return {
    content: text === '' && (calls.length > 0 || refusal !== '') ? null : text,
    ...(refusal !== '' && { refusal }),
    ...(thought !== '' && { reasoning_content: thought }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}
