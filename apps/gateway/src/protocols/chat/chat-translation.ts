import { fieldsOf } from '@inference/model-calls';
import { bytesOf, dataOf, eventOf, SseEventReader } from '@inference/sse';
import { type OpenAiErrorBody, openAiErrorBody, statusOfCode, statusOfType } from '../../errors/openai-error';
import { type NativeCall } from '../../proxy/native-call';
import {
  type AnswerKeeper,
  type AnswerTranslation,
  type TranslatedBody,
} from '../../proxy/streaming/proxy-stream';
import { AnswerParts, type PartListener } from './answer-parts';
import { keepExactCost } from './chat-usage';

/** Writes one answer in the words of a protocol. What it returns is text; what it hears through PartListener it keeps until `take`. */
export interface AnswerWriter extends PartListener {
  /** An event without content; undefined if the protocol has none. */
  readonly ping?: string;
  /** A whole answer. */
  whole(answer: AnswerParts): string;
  /** A refusal or failure as a body. */
  refusal(status: number, error: OpenAiErrorBody): string;
  /** The events before the first part. */
  begin(): void;
  /** The events behind the last part. */
  finish(answer: AnswerParts): void;
  /** The events of an answer that breaks off. @param status that the error would have as a plain answer */
  fail(status: number, error: OpenAiErrorBody['error'], answer: AnswerParts): void;
  /** Returns and forgets the events that were written since the last time. */
  take(): string;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const STREAM_TYPE = 'text/event-stream; charset=utf-8';
const BROKEN_OFF = 'The answer of the model’s server broke off.';

/** Translates the answer of a chat server, plain or as its events pass. */
export class ChatTranslation implements AnswerTranslation {
  private readonly events = new SseEventReader();
  private readonly answer: AnswerParts;
  private hasBegun = false;
  private hasFailed = false;

  /** @param isStream whether the client asked for a stream */
  constructor(
    private readonly writer: AnswerWriter,
    private readonly isStream: boolean,
    requestId: string,
    readonly native: NativeCall,
    readonly keeper?: AnswerKeeper | undefined,
  ) {
    this.answer = new AnswerParts(writer, requestId);
  }

  get ping(): string | undefined {
    return this.writer.ping;
  }

  plain(answer: object): TranslatedBody {
    if (this.isStream) this.begin();
    this.answer.read(answer);
    this.answer.end();
    if (!this.isStream) return { body: this.writer.whole(this.answer), contentType: JSON_TYPE };
    // Some servers answer at once where a stream was asked for.
    this.writer.finish(this.answer);
    return { body: this.writer.take(), contentType: STREAM_TYPE };
  }

  refusal(status: number, body: Buffer): TranslatedBody {
    const text = body.toString('utf8');
    const content = parsed(text);
    const refusal = errorIn(status, content, refusedWith(status, text, content));
    return { body: this.writer.refusal(status, refusal), contentType: JSON_TYPE };
  }

  pass(events: string): string {
    for (const event of this.events.push(bytesOf(events))) this.readEvent(dataOf(event));
    return eventOf(this.writer.take());
  }

  end(events: string): string {
    const passed = this.pass(events);
    if (this.hasFailed) return passed;
    this.begin();
    this.answer.end();
    this.writer.finish(this.answer);
    return passed + eventOf(this.writer.take());
  }

  private readEvent(data: string): void {
    const chunk = parsed(data);
    if (chunk === undefined || this.hasFailed) return;
    this.begin();
    const { error } = chunk;
    if (!error) return this.answer.read(chunk);
    this.hasFailed = true;
    const status = statusOf(error);
    this.writer.fail(status, errorIn(status, chunk, BROKEN_OFF).error, this.answer);
  }

  private begin(): void {
    if (!this.hasBegun) this.writer.begin();
    this.hasBegun = true;
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  // Some servers send empty lines while they work on a plain answer.
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const content = JSON.parse(text) as Record<string, unknown>;
    if (content.usage !== null && typeof content.usage === 'object')
      keepExactCost(content.usage as Record<string, unknown>, text);
    return content;
  } catch {
    return undefined;
  }
}

const isErrorStatus = (code: unknown): code is number =>
  typeof code === 'number' && Number.isInteger(code) && code >= 400 && code < 600;

/** The status of an error in a stream, which some servers give as its code. One without is theirs. */
function statusOf(error: unknown): number {
  const { code, type } = fieldsOf(error);
  if (isErrorStatus(code)) return code;
  return statusOfCode(code) ?? statusOfType(type) ?? 500;
}

const MOST_SHOWN_CHARS = 300;
/** A page of a proxy, or bytes. */
const NO_TEXT = /^\s*<|(?!\s)\p{Cc}|\ufffd/u;

/** Says that a server refuses the request, with the words of a body without a message: FastAPI's list of faults, or a text. */
function refusedWith(status: number, text: string, content: Record<string, unknown> | undefined): string {
  const faults = Array.isArray(content?.detail) ? (content.detail as unknown[]) : [];
  const messages = faults
    .map((fault) => (fault as { msg?: unknown } | null)?.msg)
    .filter((message) => typeof message === 'string');
  const words = content ? messages.join('; ') : NO_TEXT.test(text) ? '' : text.trim();
  return `The model’s server refused the request (status ${status}). ${words.slice(0, MOST_SHOWN_CHARS)}`.trimEnd();
}

/** The error of an upstream in OpenAI's shape, from the forms that servers give it. */
function errorIn(
  status: number,
  content: Record<string, unknown> | undefined,
  otherwise: string,
): OpenAiErrorBody {
  const { error, message, detail } = content ?? {};
  const given = (
    error !== null && typeof error === 'object' ? error : { message: error ?? message ?? detail }
  ) as Record<string, unknown>;
  const named = (name: string) => (typeof given[name] === 'string' ? given[name] : undefined);
  const body = openAiErrorBody(status, named('message') || otherwise, {
    code: named('code'),
    param: named('param'),
  });
  return { error: { ...body.error, type: named('type') ?? body.error.type } };
}
