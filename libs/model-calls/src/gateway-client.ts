import { StringDecoder } from 'node:string_decoder';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { dataOf, SseEventReader } from '@inference/sse';
import { isTracing, type Span, startCallSpan } from '@inference/tracing';
import { type Dispatcher, errors, Pool } from 'undici';
import { type Message, ModelAnswer } from './model-answer';
import { brokenOff, refusal, type Refusal, refusalOf, timedOut, unreachable } from './refusal';

/** Most dimensions of a vector: four times those of the largest common embedding models. */
const MAX_DIMENSIONS = 16_384;
const FLOAT_BYTES = 4;

/**
 * The vectors in the body of an embeddings answer (OpenAI's shape), in the order of the texts; each is a list of numbers,
 * or base64 of 32-bit floats with the least byte first. Returns null unless there is exactly one vector for each text, all
 * vectors have the same length, and each consists of finite numbers that are not all zero.
 */
function readVectors(body: string, count: number): Float32Array[] | null {
  const { data } = parsed(body);
  if (!Array.isArray(data) || data.length !== count) return null;
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  data.forEach((item: { index?: unknown; embedding?: unknown } | null, position) => {
    const index = item?.index ?? position;
    if (typeof index === 'number' && index in vectors) vectors[index] = readVector(item?.embedding);
  });
  const length = vectors[0]?.length;
  return vectors.every((vector) => vector !== undefined && vector.length === length && isUsable(vector))
    ? (vectors as Float32Array[])
    : null;
}

function parsed(body: string): { data?: unknown } {
  try {
    return (JSON.parse(body) as { data?: unknown } | null) ?? {};
  } catch {
    return {};
  }
}

function readVector(embedding: unknown): Float32Array | undefined {
  if (Array.isArray(embedding)) {
    if (embedding.length > MAX_DIMENSIONS || !embedding.every((value) => typeof value === 'number')) return;
    return Float32Array.from(embedding);
  }
  if (typeof embedding !== 'string') return;
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.length % FLOAT_BYTES !== 0 || bytes.length > MAX_DIMENSIONS * FLOAT_BYTES) return;
  return Float32Array.from({ length: bytes.length / FLOAT_BYTES }, (_value, place) =>
    bytes.readFloatLE(place * FLOAT_BYTES),
  );
}

const isUsable = (vector: Float32Array) =>
  vector.every(Number.isFinite) && vector.some((value) => value !== 0);

/** How a service reaches the gateway. */
export interface ModelGatewayOptions {
  /** Root of the gateway. */
  url: string;
  /** The service's own secret at the gateway. */
  credential: string;
  /** Time limit for the first byte and for each pause of an answer. */
  silenceMillis: number;
}

interface Caller {
  /** The account that pays. */
  accountId: string;
  /** Id of an API key of the account; its spending limit and allowed models apply. */
  apiKeyId?: string;
  /** Request id in the logs of gateway and upstream. */
  requestId: string;
}

interface ModelCall extends Caller {
  model: string;
  messages: Message[];
  /** Tool definitions in OpenAI's shape. */
  tools?: object[];
  maxTokens?: number;
  signal: AbortSignal;
}

interface EmbeddingCall extends Caller {
  model: string;
  texts: string[];
  /** Time limit of the whole call. */
  timeoutMillis: number;
  signal?: AbortSignal;
}

/** A refusal, or one vector per text: all of one length, of finite numbers that are not all zero. */
export type Embedded = ({ refusal: Refusal } | { refusal: null; vectors: Float32Array[] }) & {
  /** Id of the call in the request log of the account that pays; null if the gateway did not admit it. */
  requestId: string | null;
};

/** Receives the progress of an answer. */
export interface ModelListener {
  /** The gateway has admitted the request: from now on it is billed. */
  onAccepted(): void;
  /** Receives the next text. Returns false to pause the answer until it calls `resume`. */
  onText(text: string, resume: () => void): boolean;
}

/** How a call ended: refused without an answer, interrupted with a partial answer, or complete. */
export type CallEnd = { refusal: Refusal; answer?: ModelAnswer } | { refusal: null; answer: ModelAnswer };

const COMPLETIONS = 'chat/completions';
const EMBEDDINGS = 'embeddings';
/** Header in which the gateway names a call that it has admitted. */
const CALL_HEADER = 'x-inference-request-id';
const MAX_ERROR_BYTES = 65_536;
/** Largest body of an embeddings answer: larger than any batch of vectors, even as decimal numbers. */
const MAX_VECTORS_BYTES = 33_554_432;
/** Unlimited: each call gets its own connection and waits for no other one. */
const CONNECTIONS = null;
const KEEP_ALIVE_MILLIS = 30_000;

/** Calls models through the gateway, under a service's own credential. */
export class GatewayClient implements OnApplicationShutdown {
  private readonly logger = new Logger(GatewayClient.name);
  private readonly pool: Pool;
  private readonly origin: string;
  private readonly path: string;

  constructor(private readonly options: ModelGatewayOptions) {
    const { origin, pathname } = new URL(options.url);
    this.origin = origin;
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

  /** Calls a chat model. Resolves at the end of the answer, complete or not. Never rejects. Not retried, since it may be billed. */
  call(call: ModelCall, listener: ModelListener): Promise<CallEnd> {
    return new Promise((resolve) => {
      const span = this.startSpan(COMPLETIONS, call.model);
      const exchange = new Exchange(listener, span, (end) => {
        if (end.refusal && end.refusal.code === unreachable().code)
          this.logger.error(`The gateway does not serve this service (request ${call.requestId}).`);
        resolve(end);
      });
      if (call.signal.aborted) return exchange.abort();
      call.signal.addEventListener('abort', () => exchange.abort(), { once: true });
      this.pool.dispatch(this.completionOf(call, span), exchange);
    });
  }

  /** Embeds texts. Never rejects. Not retried, since it may be billed. */
  async embed({ model, texts, timeoutMillis, signal, ...caller }: EmbeddingCall): Promise<Embedded> {
    const timeout = AbortSignal.timeout(timeoutMillis);
    const ending = signal ? AbortSignal.any([signal, timeout]) : timeout;
    // Base64 is much shorter than decimal numbers. Engines that do not support it send decimal numbers.
    const body = { model, input: texts, encoding_format: 'base64' };
    let requestId: string | null = null;
    const span = this.startSpan(EMBEDDINGS, model);
    try {
      const response = await this.pool.request({
        ...this.requestOf(EMBEDDINGS, caller, body, span),
        signal: ending,
      });
      span?.answered(response.statusCode);
      requestId = callIdIn(response.headers);
      const text = await readText(response.body, MAX_VECTORS_BYTES);
      const { 'retry-after': retryAfter } = response.headers;
      if (response.statusCode >= 300)
        return { refusal: refusalOf(response.statusCode, text ?? '', retryAfter?.toString()), requestId };
      const vectors = text === null ? null : readVectors(text, texts.length);
      return vectors ? { refusal: null, vectors, requestId } : { refusal: noVectors(), requestId };
    } catch (error) {
      span?.fail(error);
      if (timeout.aborted) return { refusal: timedOut(), requestId };
      return { refusal: signal?.aborted ? brokenOff() : unreachable(), requestId };
    } finally {
      span?.end();
    }
  }

  /** Undefined if tracing is off. */
  private startSpan(endpoint: string, model: string): Span | undefined {
    if (!isTracing()) return undefined;
    return startCallSpan({
      method: 'POST',
      origin: this.origin,
      path: this.path + endpoint,
      template: this.path + endpoint,
      attributes: { 'gen_ai.request.model': model },
    });
  }

  private completionOf(
    { model, messages, tools, maxTokens, ...caller }: ModelCall,
    span: Span | undefined,
  ): Dispatcher.DispatchOptions {
    const body = {
      model,
      messages,
      ...(tools && tools.length > 0 && { tools }),
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
      stream: true,
      stream_options: { include_usage: true },
    };
    return this.requestOf(COMPLETIONS, caller, body, span);
  }

  private requestOf(
    endpoint: string,
    { accountId, apiKeyId, requestId }: Caller,
    body: object,
    span: Span | undefined,
  ) {
    return {
      method: 'POST' as const,
      path: this.path + endpoint,
      headers: {
        authorization: `Bearer ${this.options.credential}`,
        'content-type': 'application/json',
        'x-on-behalf-of': accountId,
        ...(apiKeyId !== undefined && { 'x-on-behalf-of-key': apiKeyId }),
        'x-request-id': requestId,
        ...span?.headers,
      },
      body: ownBuffer(JSON.stringify(body)),
    };
  }
}

/**
 * The text in memory of its own. undici keeps a body until its response ends, and would put a string into a slab of 8 KiB that
 * stays in memory with it.
 */
function ownBuffer(text: string): Buffer {
  const buffer = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  buffer.write(text);
  return buffer;
}

function callIdIn({ [CALL_HEADER]: id }: Record<string, string | string[] | undefined>): string | null {
  return typeof id === 'string' ? id : null;
}

const noVectors = () => refusal(502, 'model_error', 'The model gave no vectors that can be used.');

/** Returns null if the body is larger than `maxBytes`; the rest is not read. */
async function readText(body: AsyncIterable<Buffer>, maxBytes: number): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** One request to the gateway and its answer. Handles chunks directly, which costs less memory than a stream per call. */
class Exchange implements Dispatcher.DispatchHandler {
  private readonly answer = new ModelAnswer();
  private readonly decoder = new StringDecoder('utf8');
  private readonly events = new SseEventReader();
  private controller: Dispatcher.DispatchController | undefined;
  private status = 0;
  private retryAfter: string | undefined;
  private errorBody = '';
  private ended = false;
  private backedUp = false;

  constructor(
    private readonly listener: ModelListener,
    private readonly span: Span | undefined,
    private readonly onEnd: (end: CallEnd) => void,
  ) {}

  abort(): void {
    // First: the abort itself is reported as an error, which must not count as the gateway's.
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
    this.span?.answered(status);
    const { 'retry-after': retryAfter } = headers;
    if (typeof retryAfter === 'string') this.retryAfter = retryAfter;
    if (status >= 300) return;
    this.answer.requestId = callIdIn(headers);
    this.listener.onAccepted();
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.status < 300) this.readEvents(chunk);
    else if (this.errorBody.length < MAX_ERROR_BYTES) this.errorBody += this.decoder.write(chunk);
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

  private readEvents(chunk: Buffer): void {
    try {
      for (const event of this.events.push(chunk)) this.onEvent(dataOf(event));
    } catch {
      // An event is longer than any that a model sends.
      this.abort();
    }
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
    if (end.refusal) this.span?.fail(end.refusal.code);
    this.span?.end();
    this.onEnd(end);
  }
}
