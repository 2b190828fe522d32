import { stringifyExact } from '@inference/money';
import { type OpenAiErrorBody } from '../../errors/openai-error';
import { type AnswerParts, type Part } from '../chat/answer-parts';
import { type AnswerWriter } from '../chat/chat-translation';
import { readAnswerUsage } from '../chat/chat-usage';
import { type Fields } from '../fields';
import { keepThought } from './responses-input';

export interface ResponsesOptions {
  requestId: string;
  /** The JSON of what each response repeats of its request. */
  echo: string;
  customTools: ReadonlySet<string>;
  /** Shows thoughts as a summary instead of as content. */
  showsSummary: boolean;
  /** Whether the client sends the thoughts back. */
  keepsThoughts: boolean;
}

type Status = 'in_progress' | 'completed' | 'incomplete' | 'failed';

const INCOMPLETE: Record<string, string> = { length: 'max_output_tokens', content_filter: 'content_filter' };
/** OpenAI's codes for errors without one: a client must not take a request that is at fault for a server that is. */
const CODE_BY_STATUS: Record<number, string> = {
  400: 'invalid_prompt',
  413: 'invalid_prompt',
  422: 'invalid_prompt',
  429: 'rate_limit_exceeded',
};
const MILLIS_PER_SECOND = 1_000;

/** What a tool that takes a text is given: the argument of the function that stands for it, or what the model wrote instead. */
function inputOf({ text }: Part): string {
  try {
    const { input } = JSON.parse(text) as { input?: unknown };
    if (typeof input === 'string') return input;
  } catch {
    // Some models write the text itself.
  }
  return text;
}

/** Writes an answer as OpenAI's response or the events of its stream. */
export class ResponsesAnswer implements AnswerWriter {
  private written = '';
  private sequenceNumber = 0;
  private readonly createdAt = Math.floor(Date.now() / MILLIS_PER_SECOND);
  private readonly name: string;

  constructor(private readonly options: ResponsesOptions) {
    this.name = options.requestId.replace(/^req_/, '');
  }

  whole(answer: AnswerParts): string {
    return this.responseOf(answer, this.statusOf(answer));
  }

  refusal(_status: number, error: OpenAiErrorBody): string {
    return JSON.stringify(error);
  }

  begin(): void {
    const response = this.response({ status: 'in_progress', output: '[]' });
    this.writeResponse('response.created', response);
    this.writeResponse('response.in_progress', response);
  }

  open(part: Part): void {
    const { index: output_index } = part;
    this.write('response.output_item.added', {
      output_index,
      item: this.itemOf({ ...part, text: '' }, 'in_progress'),
    });
    const content = this.contentOf(part, '');
    if (!content) return;
    if (this.isSummary(part))
      this.write('response.reasoning_summary_part.added', { ...this.placeOf(part), part: content });
    else this.write('response.content_part.added', { ...this.placeOf(part), part: content });
  }

  add(part: Part, text: string): void {
    // Its input is known when its arguments are complete.
    if (this.isCustom(part)) return;
    const logprobs = part.kind === 'text' && { logprobs: [] };
    this.write(`${this.eventOf(part)}.delta`, { ...this.placeOf(part), delta: text, ...logprobs });
  }

  close(part: Part): void {
    const place = this.placeOf(part);
    const isCustom = this.isCustom(part);
    const text = isCustom ? inputOf(part) : part.text;
    if (isCustom) this.write(`${this.eventOf(part)}.delta`, { ...place, delta: text });
    const name = part.kind === 'call' && !isCustom && { name: part.name };
    const logprobs = part.kind === 'text' && { logprobs: [] };
    this.write(`${this.eventOf(part)}.done`, {
      ...place,
      [this.textFieldOf(part)]: text,
      ...name,
      ...logprobs,
    });
    const content = this.contentOf(part, text);
    if (content) {
      const type = this.isSummary(part)
        ? 'response.reasoning_summary_part.done'
        : 'response.content_part.done';
      this.write(type, { ...place, part: content });
    }
    this.write('response.output_item.done', {
      output_index: part.index,
      item: this.itemOf(part, statusOf(part)),
    });
  }

  finish(answer: AnswerParts): void {
    const status = this.statusOf(answer);
    this.writeResponse(`response.${status}`, this.responseOf(answer, status));
  }

  fail(status: number, { message, code, param }: OpenAiErrorBody['error'], answer: AnswerParts): void {
    this.write('error', { code, message, param });
    const error = { code: code ?? CODE_BY_STATUS[status] ?? 'server_error', message };
    this.writeResponse('response.failed', this.responseOf(answer, 'failed', error));
  }

  take(): string {
    const { written } = this;
    this.written = '';
    return written;
  }

  private write(type: string, fields: object): void {
    const data = JSON.stringify({ type, sequence_number: this.sequenceNumber++, ...fields });
    this.written += `event: ${type}\ndata: ${data}\n\n`;
  }

  private writeResponse(type: string, response: string): void {
    const head = JSON.stringify({ type, sequence_number: this.sequenceNumber++ }).slice(0, -1);
    this.written += `event: ${type}\ndata: ${head},"response":${response}}\n\n`;
  }

  private responseOf(answer: AnswerParts, status: Status, error: Fields | null = null): string {
    const last = status === 'failed' ? answer.parts.at(-1) : undefined;
    const items = answer.parts.map((part) =>
      this.itemOf(part, part === last ? 'incomplete' : statusOf(part)),
    );
    return this.response({ status, output: JSON.stringify(items), answer, error });
  }

  /** @param given `output` is JSON */
  private response(given: {
    status: Status;
    output: string;
    answer?: AnswerParts;
    error?: Fields | null;
  }): string {
    const { status, output, answer, error = null } = given;
    const reason = INCOMPLETE[answer?.finishReason ?? ''];
    const head = {
      id: `resp_${this.name}`,
      object: 'response',
      created_at: this.createdAt,
      completed_at: status === 'completed' ? Math.floor(Date.now() / MILLIS_PER_SECOND) : null,
      status,
      error,
      incomplete_details: status === 'incomplete' ? { reason } : null,
      service_tier: answer?.serviceTier ?? null,
      usage: answer?.usage ? usageOf(answer.usage) : null,
    };
    return `${stringifyExact(head).slice(0, -1)},"output":${output},${this.options.echo.slice(1)}`;
  }

  private statusOf({ finishReason }: AnswerParts): Status {
    return INCOMPLETE[finishReason ?? ''] === undefined ? 'completed' : 'incomplete';
  }

  private isCustom({ kind, name }: Part): boolean {
    return kind === 'call' && this.options.customTools.has(name);
  }

  private isSummary({ kind }: Part): boolean {
    return kind === 'reasoning' && this.options.showsSummary;
  }

  private itemIdOf(part: Part): string {
    const prefix =
      part.kind === 'reasoning' ? 'rs' : this.isCustom(part) ? 'ctc' : part.kind === 'call' ? 'fc' : 'msg';
    return `${prefix}_${this.name}_${part.index}`;
  }

  /** Where a piece of a part belongs. */
  private placeOf(part: Part): Fields {
    const place = { item_id: this.itemIdOf(part), output_index: part.index };
    if (part.kind === 'call') return place;
    return this.isSummary(part) ? { ...place, summary_index: 0 } : { ...place, content_index: 0 };
  }

  private eventOf(part: Part): string {
    switch (part.kind) {
      case 'text':
        return 'response.output_text';
      case 'refusal':
        return 'response.refusal';
      case 'reasoning':
        return this.isSummary(part) ? 'response.reasoning_summary_text' : 'response.reasoning_text';
      case 'call':
        return this.isCustom(part) ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
    }
  }

  private textFieldOf(part: Part): string {
    if (part.kind === 'call') return this.isCustom(part) ? 'input' : 'arguments';
    return part.kind === 'refusal' ? 'refusal' : 'text';
  }

  /** The content of an item; undefined for a call. */
  private contentOf(part: Part, text: string): Fields | undefined {
    if (part.kind === 'text') return { type: 'output_text', text, annotations: [], logprobs: [] };
    if (part.kind === 'refusal') return { type: 'refusal', refusal: text };
    if (part.kind === 'call') return undefined;
    return { type: this.isSummary(part) ? 'summary_text' : 'reasoning_text', text };
  }

  private itemOf(part: Part, status: Status): Fields {
    const id = this.itemIdOf(part);
    const isBegun = status === 'in_progress';
    const content = isBegun ? [] : [this.contentOf(part, part.text)];
    if (part.kind === 'call') {
      const { id: call_id, name } = part;
      return this.isCustom(part)
        ? { id, type: 'custom_tool_call', status, call_id, name, input: isBegun ? '' : inputOf(part) }
        : { id, type: 'function_call', status, call_id, name, arguments: isBegun ? '' : part.text };
    }
    if (part.kind !== 'reasoning') return { id, type: 'message', status, role: 'assistant', content };
    return {
      id,
      type: 'reasoning',
      status,
      summary: this.isSummary(part) ? content : [],
      ...(!this.isSummary(part) && { content }),
      ...(this.options.keepsThoughts && { encrypted_content: isBegun ? null : keepThought(part.text) }),
    };
  }
}

const statusOf = ({ isCut }: Part): Status => (isCut ? 'incomplete' : 'completed');

function usageOf(usage: Fields): Fields {
  const { input, cached, cacheWritten, output, reasoning, cost } = readAnswerUsage(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: cacheWritten },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
    ...cost,
  };
}
