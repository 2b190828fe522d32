import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import { type Dispatcher, errors, Pool } from 'undici';
import { type Message } from './message';
import { ModelAnswer } from './model-answer';
import { brokenOff, type Refusal, refusalOf, timedOut, unreachable } from './refusal';

export interface ModelGatewayOptions {
  /** Of the gateway. */
  url: string;
  /** What proves to the gateway which of the platform's services asks. */
  credential: string;
  /** How long a model may say nothing, at first and in the middle. */
  silenceMillis: number;
}

interface ModelCall {
  /** On whose behalf: who pays. */
  accountId: string;
  /** The key of that account whose spending limit and list of models hold. */
  apiKeyId?: string;
  model: string;
  messages: Message[];
  /** As OpenAI has them. */
  tools?: object[];
  maxTokens?: number;
  /** Gateway and upstream log it. */
  requestId: string;
  signal: AbortSignal;
}

/** What the caller of the model hears while it answers. */
export interface ModelListener {
  /** The gateway has taken the request: from now on it is paid for. */
  onAccepted(): void;
  /** Returns false when more is to wait; then `resume` is called later. */
  onText(text: string, resume: () => void): boolean;
}

/** Refused without an answer; broken off in the middle of one; or answered. */
export type CallEnd = { refusal: Refusal; answer?: ModelAnswer } | { refusal: null; answer: ModelAnswer };

const MAX_ERROR_BYTES = 65_536;
/** A connection a call: none waits for another one's end. */
const CONNECTIONS = null;
const KEEP_ALIVE_MILLIS = 30_000;

/** Calls models through the gateway, under a service's own credential. */
export class ModelGateway implements OnApplicationShutdown {
  private readonly logger = new Logger(ModelGateway.name);
  private readonly pool: Pool;
  private readonly path: string;

  constructor(private readonly options: ModelGatewayOptions) {
    const { origin, pathname } = new URL(options.url);
    this.path = `${pathname.replace(/\/$/, '')}/v1/chat/completions`;
    this.pool = new Pool(origin, {
      connections: CONNECTIONS,
      headersTimeout: options.silenceMillis,
      bodyTimeout: options.silenceMillis,
      keepAliveTimeout: KEEP_ALIVE_MILLIS,
    });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }

  /** Resolves at the end of the answer, whole or not; never rejects, and is never tried again: it may be paid for. */
  call(call: ModelCall, listener: ModelListener): Promise<CallEnd> {
    return new Promise((resolve) => {
      const exchange = new Exchange(listener, (end) => {
        if (end.refusal && end.refusal.code === unreachable().code)
          this.logger.error(`The gateway does not serve this service (request ${call.requestId}).`);
        resolve(end);
      });
      if (call.signal.aborted) return exchange.abort();
      call.signal.addEventListener('abort', () => exchange.abort(), { once: true });
      this.pool.dispatch(this.requestOf(call), exchange);
    });
  }

  private requestOf({ accountId, apiKeyId, requestId, ...call }: ModelCall): Dispatcher.DispatchOptions {
    const body = {
      model: call.model,
      messages: call.messages,
      ...(call.tools && call.tools.length > 0 && { tools: call.tools }),
      ...(call.maxTokens !== undefined && { max_tokens: call.maxTokens }),
      stream: true,
      stream_options: { include_usage: true },
    };
    return {
      method: 'POST',
      path: this.path,
      headers: {
        authorization: `Bearer ${this.options.credential}`,
        'content-type': 'application/json',
        'x-on-behalf-of': accountId,
        ...(apiKeyId !== undefined && { 'x-on-behalf-of-key': apiKeyId }),
        'x-request-id': requestId,
      },
      body: JSON.stringify(body),
    };
  }
}

/** One request to the gateway and its answer. Handles the bytes as they come: a body stream each would weigh more. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly answer = new ModelAnswer();
  private readonly decoder = new TextDecoder();
  private readonly parser: EventSourceParser;
  private controller: Dispatcher.DispatchController | undefined;
  private status = 0;
  private retryAfter: string | undefined;
  private errorBody = '';
  private ended = false;
  private backedUp = false;

  constructor(
    private readonly listener: ModelListener,
    private readonly onEnd: (end: CallEnd) => void,
  ) {
    this.parser = createParser({ onEvent: ({ data }) => this.onEvent(data) });
  }

  abort(): void {
    // First, since to abort is an error too, and not the gateway's.
    this.end({ refusal: brokenOff(), answer: this.answer });
    this.controller?.abort(new errors.RequestAbortedError());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.ended) controller.abort(new errors.RequestAbortedError());
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.status = status;
    const { 'retry-after': retryAfter } = headers;
    if (typeof retryAfter === 'string') this.retryAfter = retryAfter;
    if (status < 300) this.listener.onAccepted();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const text = this.decoder.decode(chunk, { stream: true });
    if (this.status < 300) this.parser.feed(text);
    else if (this.errorBody.length < MAX_ERROR_BYTES) this.errorBody += text;
    if (this.backedUp) controller.pause();
  }

  onResponseEnd(): void {
    if (this.status >= 300)
      return this.end({ refusal: refusalOf(this.status, this.errorBody, this.retryAfter) });
    const { answer } = this;
    if (answer.isComplete) return this.end({ refusal: null, answer });
    this.end({ refusal: brokenOff(answer.error?.code, answer.error?.message), answer });
  }

  onResponseError(_controller: unknown, error: Error): void {
    const isTimeout = error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError;
    if (this.status === 0) return this.end({ refusal: isTimeout ? timedOut() : unreachable() });
    this.end({ refusal: isTimeout ? timedOut() : brokenOff(), answer: this.answer });
  }

  private onEvent(data: string): void {
    const text = this.answer.read(data);
    if (text === '') return;
    const goesOn = this.listener.onText(text, () => {
      this.backedUp = false;
      this.controller?.resume();
    });
    if (!goesOn) this.backedUp = true;
  }

  private end(end: CallEnd): void {
    if (this.ended) return;
    this.ended = true;
    this.onEnd(end);
  }
}
