import { isObjectText } from '@inference/model-calls';
import { stringifyExact } from '@inference/money';
import { anthropicErrorBody } from '../../errors/anthropic-error';
import { type OpenAiErrorBody } from '../../errors/openai-error';
import { type AnswerParts, type Part } from '../chat/answer-parts';
import { type AnswerWriter } from '../chat/chat-translation';
import { readAnswerUsage } from '../chat/chat-usage';

/** Stands where Anthropic signs thoughts: these were written by a model of another maker. Clients keep no thought without a signature. */
const UNSIGNED = 'unsigned';

const STOP_REASONS: Record<string, string> = {
  length: 'max_tokens',
  content_filter: 'refusal',
};

const PING = 'event: ping\ndata: {"type":"ping"}\n\n';

/** The arguments of a call as they came, so that no digit is lost; what is no object stands in one. */
function inputOf({ text }: Part): string {
  if (text.trim() === '') return '{}';
  return isObjectText(text) ? text : JSON.stringify({ arguments: text });
}

/** Writes an answer as Anthropic's message or the events of its stream. */
export class MessagesAnswer implements AnswerWriter {
  readonly ping = PING;
  private written = '';

  constructor(
    private readonly requestId: string,
    private readonly model: string,
    /** That the request names. */
    private readonly stopSequences: readonly string[],
  ) {}

  whole(answer: AnswerParts): string {
    const content = answer.parts.map((part) => this.blockOf(part)).join(',');
    const { stop_reason, stop_sequence } = this.stopOf(answer);
    const rest = { stop_reason, stop_sequence, usage: this.usageOf(answer), container: null };
    return `${this.head().slice(0, -1)},"content":[${content}],${stringifyExact(rest).slice(1)}`;
  }

  refusal(status: number, { error }: OpenAiErrorBody): string {
    return JSON.stringify(anthropicErrorBody(status, error, this.requestId));
  }

  begin(): void {
    const usage = {
      input_tokens: 0,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 0,
    };
    const rest = { content: [], stop_reason: null, stop_sequence: null, usage };
    const message = `${this.head().slice(0, -1)},${JSON.stringify(rest).slice(1)}`;
    this.written += `event: message_start\ndata: {"type":"message_start","message":${message}}\n\n`;
    this.written += PING;
  }

  open(part: Part): void {
    this.write('content_block_start', { index: part.index, content_block: emptyBlockOf(part) });
  }

  add({ kind, index }: Part, text: string): void {
    this.write('content_block_delta', { index, delta: deltaOf(kind, text) });
  }

  close({ kind, index }: Part): void {
    if (kind === 'reasoning')
      this.write('content_block_delta', { index, delta: { type: 'signature_delta', signature: UNSIGNED } });
    this.write('content_block_stop', { index });
  }

  finish(answer: AnswerParts): void {
    const delta = { type: 'message_delta', delta: this.stopOf(answer), usage: this.usageOf(answer) };
    this.written += `event: message_delta\ndata: ${stringifyExact(delta)}\n\n`;
    this.write('message_stop', {});
  }

  fail(status: number, error: OpenAiErrorBody['error']): void {
    this.write('error', { ...anthropicErrorBody(status, error, this.requestId) });
  }

  take(): string {
    const { written } = this;
    this.written = '';
    return written;
  }

  private write(type: string, fields: object): void {
    this.written += `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
  }

  private head(): string {
    const id = this.requestId.replace(/^req_/, 'msg_');
    return JSON.stringify({ id, type: 'message', role: 'assistant', model: this.model });
  }

  private blockOf(part: Part): string {
    if (part.kind === 'reasoning')
      return JSON.stringify({ type: 'thinking', thinking: part.text, signature: UNSIGNED });
    if (part.kind !== 'call') return JSON.stringify({ type: 'text', text: part.text });
    const { input: _input, ...call } = callBlockOf(part);
    return `${JSON.stringify(call).slice(0, -1)},"input":${inputOf(part)}}`;
  }

  private stopOf({ parts, finishReason, stopText }: AnswerParts) {
    const isRefused = parts.some(({ kind }) => kind === 'refusal');
    const hasCall = parts.some(({ kind }) => kind === 'call');
    const reason =
      STOP_REASONS[finishReason ?? ''] ?? (isRefused ? 'refusal' : hasCall ? 'tool_use' : undefined);
    if (reason !== undefined) return { stop_reason: reason, stop_sequence: null };
    const isStopSequence = stopText !== null && this.stopSequences.includes(stopText);
    return isStopSequence
      ? { stop_reason: 'stop_sequence', stop_sequence: stopText }
      : { stop_reason: 'end_turn', stop_sequence: null };
  }

  private usageOf({ usage }: AnswerParts) {
    const { input, cached, cacheWritten, output, reasoning, cost } = readAnswerUsage(usage ?? {});
    return {
      input_tokens: input - cached - cacheWritten,
      cache_creation_input_tokens: cacheWritten,
      cache_read_input_tokens: cached,
      output_tokens: output,
      ...(reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
      ...cost,
    };
  }
}

const callBlockOf = ({ id, name }: Part) => ({ type: 'tool_use', id, name, input: {} });

function emptyBlockOf(part: Part): object {
  if (part.kind === 'reasoning') return { type: 'thinking', thinking: '', signature: '' };
  return part.kind === 'call' ? callBlockOf(part) : { type: 'text', text: '' };
}

function deltaOf(kind: Part['kind'], text: string): object {
  if (kind === 'reasoning') return { type: 'thinking_delta', thinking: text };
  if (kind === 'call') return { type: 'input_json_delta', partial_json: text };
  return { type: 'text_delta', text };
}
