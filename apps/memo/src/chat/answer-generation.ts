import { newId } from '@inference/database';
import { DetailedException, UnavailableException } from '@inference/http';
import {
  accountSuspended,
  type CallEnd,
  type GatewayClient,
  type Message,
  type Refusal,
} from '@inference/model-calls';
import { HttpException, Logger } from '@nestjs/common';
import { type Response } from 'express';
import { type Member } from '../access/member';
import { pageAt, type SearchOutcome } from '../retrieval/search/passage';
import { AnswerStream } from './answer-stream';
import { extractAnswer, type QuotedSentence } from './answers/extractive-answer';
import { type Exchange, promptMessages, refusalText } from './answers/prompt-messages';
import { unsupportedSentences } from './answers/unsupported-sentences';
import { type ChatConfig } from './chat.config';
import { type AnswerErrorEvent } from './conversations/conversation.dto';
import { type Citation, citationsLine } from './citations/citation';
import { bestSnippet, snippetWithin } from './citations/citation-snippet';
import { type Answer, type ConversationLog, type ConversationRef } from './conversations/conversation-log';
import { type MessageStatus } from '../tables/conversation.entity';
import { collapseWhitespace, type Slice, splitSentences } from './sentences/sentence-segmentation';

/**
 * How much text before a marker is searched for the sentence. Half cuts long sentences; twice doubles the work for
 * answers with many markers.
 */
const MAX_CHARACTERS_BEFORE_MARKER = 600;
const MARKERS = /\[\d{1,3}\]/g;

/** The sentence that contains the first marker of a passage, up to the marker; empty if the passage is not cited. */
export function citingSentence(answer: string, number: number): string {
  const marker = answer.indexOf(`[${number}]`);
  if (marker < 0) return '';
  const before = answer
    .slice(Math.max(0, marker - MAX_CHARACTERS_BEFORE_MARKER), marker)
    .replace(MARKERS, '');
  const last = splitSentences(before).at(-1);
  return last ? before.slice(last.start, last.end) : '';
}

/** A question, the member who asks it, and the passages that were found for it. */
export interface ChatQuestion {
  member: Member;
  text: string;
  conversation: ConversationRef;
  /** Earlier exchanges of the conversation, oldest first. */
  history: Exchange[];
  search: SearchOutcome;
}

/**
 * How long the response waits for the gateway's decision, so that a refusal can still be sent as an HTTP status.
 * Twice as long delays the first byte of slow answers; half turns more refusals into error events.
 */
const ADMISSION_TIMEOUT_MS = 2_000;
/**
 * Longest answer that is accepted, even if the model server ignores the token limit. It is far above 100,000
 * tokens of ordinary text; twice as much doubles the memory of a running answer.
 */
const MAX_ANSWER_CHARACTERS = 1_000_000;
const TOO_LONG: AnswerErrorEvent = {
  error: 'The answer is too long.',
  code: 'model_error',
  retryable: false,
};
const INTERRUPTED: AnswerErrorEvent = {
  error: 'The service stopped in the middle of this answer. Ask again.',
  code: 'interrupted',
  retryable: true,
};
const UNCONFIRMED: AnswerErrorEvent = {
  error: 'The citations could not be confirmed. Ask again.',
  code: 'unavailable',
  retryable: true,
};

/** The generation of one answer. */
export class AnswerGeneration {
  readonly stream: AnswerStream;
  private readonly logger = new Logger(AnswerGeneration.name);
  private readonly messageId = newId('msg');
  private readonly cancellation = new AbortController();
  /** The error that ended the answer, unless the model or the reader ended it. */
  private failure: AnswerErrorEvent | undefined;
  /** The call of the model, once the gateway has admitted it. */
  private requestId: string | null = null;
  /** The sentences of an extractive answer. */
  private quoted: QuotedSentence[] = [];
  /** Characters received from the model, including white space that is not sent. */
  private receivedCharacters = 0;
  private settle: () => void = () => undefined;
  /** Resolves when the answer has ended and is stored, whether or not it succeeded. */
  readonly ended = new Promise<void>((resolve) => (this.settle = resolve));

  constructor(
    private readonly question: ChatQuestion,
    private readonly config: ChatConfig,
    private readonly models: GatewayClient,
    private readonly log: ConversationLog,
    response: Response,
  ) {
    this.stream = new AnswerStream({
      response,
      passages: question.search.passages.length,
      heartbeatMillis: config.heartbeatMs,
      stallMillis: config.clientStallTimeoutMs,
    });
    // The reader may disconnect before the stream exists.
    response.once('close', () => this.cancellation.abort());
    if (response.closed) this.cancellation.abort();
  }

  /** Resolves when the stream can start. Throws the refusal of the gateway. */
  async start(): Promise<void> {
    const { text, search, history } = this.question;
    const { model } = this.config;
    if (model !== undefined && search.passages.length > 0)
      return this.ask(model, promptMessages(text, search.passages, history));
    const extract = extractAnswer(search.passages, search.relevance);
    this.quoted = extract.quoted;
    this.stream.quote(
      extract.text,
      extract.quoted.map(({ passage }) => passage),
    );
    void this.finish('completed', null);
  }

  /** Ends the answer because staff has suspended the account. The gateway does so, too, and knows what was produced. */
  shutOut(): void {
    const { message: error, code, retryable } = accountSuspended();
    this.stream.cutOff({ error, code, retryable });
  }

  /** Ends the answer because the process stops. */
  interrupt(): void {
    this.abort(INTERRUPTED);
  }

  private async ask(model: string, messages: Message[]): Promise<void> {
    let resolve: (refusal: Refusal | null) => void = () => undefined;
    const admission = new Promise<Refusal | null>((resolver) => (resolve = resolver));
    let hasBegun = false;
    const start = () => {
      hasBegun = true;
      resolve(null);
    };
    const timer = setTimeout(start, ADMISSION_TIMEOUT_MS);
    const listener = { onAccepted: start, onText: (text: string) => this.receive(text) };
    void this.models.call(this.callOf(model, messages), listener).then(async (end) => {
      if (hasBegun) await this.end(model, end);
      resolve(end.refusal);
      this.settle();
    });
    const refusal = await admission;
    clearTimeout(timer);
    if (refusal) throw this.failure ? stoppedError(this.failure) : refusalError(refusal);
  }

  private callOf(model: string, messages: Message[]) {
    return {
      accountId: this.question.member.accountId,
      model,
      messages,
      ...(this.config.maxAnswerTokens !== undefined && { maxTokens: this.config.maxAnswerTokens }),
      requestId: this.messageId,
      signal: this.cancellation.signal,
    };
  }

  private receive(text: string): boolean {
    this.receivedCharacters += text.length;
    if (this.receivedCharacters > MAX_ANSWER_CHARACTERS) this.abort(TOO_LONG);
    else this.stream.write(text);
    return true;
  }

  private abort(failure: AnswerErrorEvent): void {
    this.failure = failure;
    this.cancellation.abort();
  }

  private async end(model: string, { refusal, answer }: CallEnd): Promise<void> {
    this.requestId = answer?.requestId ?? null;
    if (!refusal) return this.finish('completed', model);
    const { message: error, code, retryable } = refusal;
    const failure = this.failure ?? { error, code, retryable };
    const isLeft = this.cancellation.signal.aborted && !this.failure;
    if (!isLeft) this.logger.warn(`An answer broke off (${failure.code}).`);
    await this.finish(isLeft ? 'cancelled' : 'failed', model);
    this.stream.fail(failure);
  }

  /** Stores the exchange. Sends the citations of a complete answer and ends the stream. */
  private async finish(status: MessageStatus, model: string | null): Promise<void> {
    const { stream, question } = this;
    const isWhole = status === 'completed';
    try {
      stream.finishText();
      if (isWhole && stream.text === '') stream.quote(refusalText(question.text), []);
      const citations = isWhole ? this.citations() : [];
      const { passages, requestIds } = this.sources();
      const answer = {
        id: this.messageId,
        content: stream.text,
        status,
        model,
        citations,
        passages,
        requestIds,
        unsupported: isWhole && model !== null ? this.unsupported() : [],
      };
      await this.log.write(question.member, question.conversation, question.text, answer, (current) => {
        if (isWhole) stream.cite(citationsLine(current));
      });
      // The stream ends after the exchange is stored: a client that has read the whole answer finds it in the
      // conversation.
      if (isWhole) stream.end();
    } catch (error) {
      this.logger.warn(`An answer could not be stored: ${(error as Error).message}`);
      if (isWhole) stream.fail(error instanceof HttpException ? notAllowedError(error) : UNCONFIRMED);
    } finally {
      this.settle();
    }
  }

  /** What the answer was written from, and the calls that it cost. */
  private sources(): Pick<Answer, 'passages' | 'requestIds'> {
    const { passages, requestIds } = this.question.search;
    return {
      passages: passages.map(({ documentId, version, chunkIndex, score }) => ({
        documentId,
        version,
        chunkIndex,
        score,
      })),
      requestIds: this.requestId === null ? requestIds : [...requestIds, this.requestId],
    };
  }

  /** A refusal states nothing. */
  private unsupported(): Slice[] {
    const { text, search } = this.question;
    const isRefusal = this.stream.text.trim() === refusalText(text);
    return isRefusal ? [] : unsupportedSentences(this.stream.text, search.passages);
  }

  private citations(): Citation[] {
    return this.stream.cited.map((number) => {
      const passage = this.question.search.passages[number - 1]!;
      const { documentId, title, version, chunkIndex, start, text } = passage;
      const slice = this.snippetOf(number, text);
      return {
        ...{ number, documentId, title, version, chunkIndex },
        start: start + slice.start,
        end: start + slice.end,
        page: pageAt(passage, start + slice.start),
        snippet: collapseWhitespace(text.slice(slice.start, slice.end)),
      };
    });
  }

  /**
   * The part of a passage that is shown as its citation: the quoted sentence, or the part closest to what the answer
   * says.
   */
  private snippetOf(number: number, text: string): Slice {
    const { relevance } = this.question.search;
    const quoted = this.quoted.find(({ passage }) => passage === number);
    if (quoted) return snippetWithin(text, quoted, relevance);
    return bestSnippet(text, relevance, citingSentence(this.stream.text, number));
  }
}

/** The error for a caller who was a member when the answer started and is not a member any more. */
const notAllowedError = ({ message: error }: HttpException): AnswerErrorEvent => ({
  error,
  code: 'not_allowed',
  retryable: false,
});

const stoppedError = ({ error, code }: AnswerErrorEvent) => new UnavailableException(error, code);

function refusalError({ status, message, code, retryAfter, limit, shortfall }: Refusal): HttpException {
  const headers = retryAfter === undefined ? undefined : { 'Retry-After': retryAfter };
  return new DetailedException(
    status,
    message,
    { code, ...(limit !== undefined && { limit }), ...shortfall },
    headers,
  );
}
