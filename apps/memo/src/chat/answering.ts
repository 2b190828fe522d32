import { HttpException, Logger } from '@nestjs/common';
import { newId } from '@inference/database';
import { DetailedException } from '@inference/http';
import { type CallEnd, type Message, type ModelGateway, type Refusal } from '@inference/model-calls';
import { type Response } from 'express';
import { type Member } from '../access/member';
import { type Citation, citationsLine } from '../answers/citation';
import { extractAnswer, type Quoted } from '../answers/extract';
import { type Exchange, promptFor } from '../answers/prompt';
import { quotationFrom, quotationOf } from '../answers/quotation';
import { refusalFor } from '../answers/refusal-text';
import { saidBefore } from '../answers/said';
import { collapsed, type Slice } from '../answers/sentences';
import { type MemoConfig } from '../config';
import { type ConversationRef, type MessageStatus } from '../conversations/conversation';
import { type ConversationLog } from '../conversations/conversation-log';
import { type Found } from '../search/passage';
import { AnswerStream, type StreamError } from './answer-stream';

/** What is asked, by whom, and what was found on it. */
export interface Question {
  member: Member;
  text: string;
  conversation: ConversationRef;
  /** What was said before. */
  before: Exchange[];
  found: Found;
}

/** How long a stream's beginning is put off so that a refusal of the gateway can still be its status. */
const ADMISSION_MILLIS = 2_000;
/** Whatever a model server makes of the most tokens that it was asked for. */
const MOST_CHARACTERS = 1_000_000;
const TOO_LONG: StreamError = { error: 'The answer is too long.', code: 'model_error', retryable: false };
const INTERRUPTED: StreamError = {
  error: 'The service stopped in the middle of this answer. Ask again.',
  code: 'interrupted',
  retryable: true,
};
const UNCONFIRMED: StreamError = {
  error: 'The citations could not be confirmed. Ask again.',
  code: 'unavailable',
  retryable: true,
};

/** One question on its way to its answer. */
export class Answering {
  readonly stream: AnswerStream;
  private readonly logger = new Logger(Answering.name);
  private readonly messageId = newId('msg');
  private readonly leaving = new AbortController();
  /** What broke the answer off, when it was neither the model nor the reader. */
  private failure: StreamError | undefined;
  /** What an answer without a model is made of. */
  private quoted: Quoted[] = [];
  /** How much was said, white space included that is not sent. */
  private characters = 0;
  private settle: () => void = () => undefined;
  /** Resolves when it is answered and written down, whichever way. */
  readonly ended = new Promise<void>((resolve) => (this.settle = resolve));

  constructor(
    private readonly question: Question,
    private readonly config: MemoConfig,
    private readonly models: ModelGateway,
    private readonly log: ConversationLog,
    response: Response,
  ) {
    this.stream = new AnswerStream({
      response,
      passages: question.found.passages.length,
      heartbeatMillis: config.HEARTBEAT_SECONDS * 1000,
      stallMillis: config.CLIENT_STALL_TIMEOUT_SECONDS * 1000,
    });
    // Also before there is a stream that he could leave.
    response.once('close', () => this.leaving.abort());
    if (response.closed) this.leaving.abort();
  }

  /** Resolves when the stream can begin; throws what can be refused. */
  async begin(): Promise<void> {
    const { text, found, before } = this.question;
    const { CHAT_MODEL: model } = this.config;
    if (model !== undefined && found.passages.length > 0)
      return this.ask(model, promptFor(text, found.passages, before));
    const extract = extractAnswer(found.passages, found.asked);
    this.quoted = extract.quoted;
    this.stream.quote(
      extract.text,
      extract.quoted.map(({ passage }) => passage),
    );
    void this.conclude('completed', null);
  }

  /** The process stops before the answer has ended. */
  interrupt(): void {
    this.breakOff(INTERRUPTED);
  }

  private async ask(model: string, messages: Message[]): Promise<void> {
    let resolve: (refusal: Refusal | null) => void = () => undefined;
    const admission = new Promise<Refusal | null>((resolver) => (resolve = resolver));
    let hasBegun = false;
    const begin = () => {
      hasBegun = true;
      resolve(null);
    };
    const timer = setTimeout(begin, ADMISSION_MILLIS);
    const listener = { onAccepted: begin, onText: (text: string) => this.take(text) };
    void this.models.call(this.callOf(model, messages), listener).then(async (end) => {
      if (hasBegun) await this.end(model, end);
      resolve(end.refusal);
      this.settle();
    });
    const refusal = await admission;
    clearTimeout(timer);
    if (refusal) throw this.failure ? stopped(this.failure) : refusedBy(refusal);
  }

  private callOf(model: string, messages: Message[]) {
    return {
      accountId: this.question.member.accountId,
      model,
      messages,
      maxTokens: this.config.ANSWER_MAX_TOKENS,
      requestId: this.messageId,
      signal: this.leaving.signal,
    };
  }

  private take(text: string): boolean {
    this.characters += text.length;
    if (this.characters > MOST_CHARACTERS) this.breakOff(TOO_LONG);
    else this.stream.write(text);
    return true;
  }

  private breakOff(failure: StreamError): void {
    this.failure = failure;
    this.leaving.abort();
  }

  private async end(model: string, { refusal }: CallEnd): Promise<void> {
    if (!refusal) return this.conclude('completed', model);
    const { message: error, code, retryable } = refusal;
    const failure = this.failure ?? { error, code, retryable };
    const isLeft = this.leaving.signal.aborted && !this.failure;
    if (!isLeft) this.logger.warn(`An answer broke off (${failure.code}).`);
    await this.conclude(isLeft ? 'cancelled' : 'failed', model);
    this.stream.fail(failure);
  }

  /** Writes the exchange down, and ends the stream of an answer that is whole with what it cites. */
  private async conclude(status: MessageStatus, model: string | null): Promise<void> {
    const { stream, question } = this;
    const isWhole = status === 'completed';
    try {
      stream.finishText();
      if (isWhole && stream.text === '') stream.quote(refusalFor(question.text), []);
      const citations = isWhole ? this.citations() : [];
      const answer = { id: this.messageId, content: stream.text, status, model, citations };
      await this.log.write(question.member, question.conversation, question.text, answer, (current) => {
        if (isWhole) stream.cite(citationsLine(current));
      });
      // No sooner: whoever has read an answer to its end finds it in its conversation.
      if (isWhole) stream.end();
    } catch (error) {
      this.logger.warn(`An answer could not be kept: ${(error as Error).message}`);
      if (isWhole) stream.fail(error instanceof HttpException ? notAllowed(error) : UNCONFIRMED);
    } finally {
      this.settle();
    }
  }

  private citations(): Citation[] {
    return this.stream.cited.map((number) => {
      const { documentId, title, version, chunkIndex, start, text } =
        this.question.found.passages[number - 1]!;
      const slice = this.quotation(number, text);
      return {
        ...{ number, documentId, title, version, chunkIndex },
        start: start + slice.start,
        end: start + slice.end,
        snippet: collapsed(text.slice(slice.start, slice.end)),
      };
    });
  }

  /** What shows best why a passage is cited: the sentence that was quoted of it, or what comes nearest to what was said. */
  private quotation(number: number, text: string): Slice {
    const { asked } = this.question.found;
    const quoted = this.quoted.find(({ passage }) => passage === number);
    if (quoted) return quotationOf(text, quoted, asked);
    return quotationFrom(text, asked, saidBefore(this.stream.text, number));
  }
}

/** To who was a member when he asked, and is none any more. */
const notAllowed = ({ message: error }: HttpException): StreamError => ({
  error,
  code: 'not_allowed',
  retryable: false,
});

const stopped = ({ error, code }: StreamError) =>
  new DetailedException(503, error, { code }, { 'Retry-After': '1' });

function refusedBy({ status, message, code, retryAfter }: Refusal): HttpException {
  const headers = retryAfter === undefined ? undefined : { 'Retry-After': retryAfter };
  return new DetailedException(status, message, { code }, headers);
}
