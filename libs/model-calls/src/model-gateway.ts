import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import { type Dispatcher, errors, Pool } from 'undici';
import { type Message } from './message';
import { ModelAnswer } from './model-answer';
import { brokenOff, refusal, type Refusal, refusalOf, timedOut, unreachable } from './refusal';
import { readVectors } from './vectors';

export interface ModelGatewayOptions {
  /** Of the gateway. */
  url: string;
  /** What proves to the gateway which of the platform's services asks. */
  credential: string;
  /** How long a model may say nothing, at first and in the middle. */
  silenceMillis: number;
}

interface Caller {
  /** On whose behalf: who pays. */
  accountId: string;
  /** The key of that account whose spending limit and list of models hold. */
  apiKeyId?: string;
  /** Gateway and upstream log it. */
  requestId: string;
}

interface ModelCall extends Caller {
  model: string;
  messages: Message[];
  /** As OpenAI has them. */
  tools?: object[];
  maxTokens?: number;
  signal: AbortSignal;
}

interface EmbeddingCall extends Caller {
  model: string;
  texts: string[];
  /** For all of it. */
  timeoutMillis: number;
  signal?: AbortSignal;
}

/** Refused; or a vector for each text, all of one length, of finite numbers that are not all zero. */
export type Embedded = { refusal: Refusal } | { refusal: null; vectors: Float32Array[] };

/** What the caller of the model hears while it answers. */
export interface ModelListener {
  /** The gateway has taken the request: from now on it is paid for. */
  onAccepted(): void;
  /** Returns false when more is to wait; then `resume` is called later. */
  onText(text: string, resume: () => void): boolean;
}

/** Refused without an answer; broken off in the middle of one; or answered. */
export type CallEnd = { refusal: Refusal; answer?: ModelAnswer } | { refusal: null; answer: ModelAnswer };

const COMPLETIONS = 'chat/completions';
const EMBEDDINGS = 'embeddings';
const MAX_ERROR_BYTES = 65_536;
/** More than the vectors of any batch take that is worth sending, as decimal numbers too. */
const MAX_VECTORS_BYTES = 33_554_432;
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
    this.path = `${pathname.replace(/\/$/, '')}/v1/`;
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
      this.pool.dispatch(this.completionOf(call), exchange);
    });
  }

  /** What texts mean, in numbers. Never rejects, and is never tried again: it may be paid for. */
  async embed({ model, texts, timeoutMillis, signal, ...caller }: EmbeddingCall): Promise<Embedded> {
    const timeout = AbortSignal.timeout(timeoutMillis);
    const ending = signal ? AbortSignal.any([signal, timeout]) : timeout;
    // Base64 is far shorter than decimal numbers; engines that do not know it send those all the same.
    const body = { model, input: texts, encoding_format: 'base64' };
    try {
      const response = await this.pool.request({
        ...this.requestOf(EMBEDDINGS, caller, body),
        signal: ending,
      });
      const text = await readText(response.body, MAX_VECTORS_BYTES);
      const { 'retry-after': retryAfter } = response.headers;
      if (response.statusCode >= 300)
        return { refusal: refusalOf(response.statusCode, text ?? '', retryAfter?.toString()) };
      const vectors = text === null ? null : readVectors(text, texts.length);
      return vectors ? { refusal: null, vectors } : { refusal: noVectors() };
    } catch {
      if (timeout.aborted) return { refusal: timedOut() };
      return { refusal: signal?.aborted ? brokenOff() : unreachable() };
    }
  }

  private completionOf({
    model,
    messages,
    tools,
    maxTokens,
    ...caller
  }: ModelCall): Dispatcher.DispatchOptions {
    return this.requestOf(COMPLETIONS, caller, {
      model,
      messages,
      ...(tools && tools.length > 0 && { tools }),
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      stream: true,
      stream_options: { include_usage: true },
    });
  }

  private requestOf(endpoint: string, { accountId, apiKeyId, requestId }: Caller, body: object) {
    return {
      method: 'POST' as const,
      path: this.path + endpoint,
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

const noVectors = () => refusal(502, 'model_error', 'The model gave no vectors that can be used.');

/** Null for a longer one, which is not read to its end. */
async function readText(body: AsyncIterable<Buffer>, mostBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > mostBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
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
