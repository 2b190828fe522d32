import { type IncomingHttpHeaders } from 'node:http';
import { type Span } from '@inference/tracing';
import { type Dispatcher } from 'undici';
import { type GatewayError } from '../errors/openai-error';
import { type HeldAnswer, UNCOUNTED_BYTES } from './answer-memory';
import { CallCancelledError } from './upstream.errors';

/** Whether an answer is still wanted. An AbortController does the same, but takes several microseconds of each request. */
export class Cancellation {
  private cancel: (() => void) | undefined;
  private isCancelled = false;
  private error: GatewayError | undefined;

  get aborted(): boolean {
    return this.isCancelled;
  }

  /** What the client is told; undefined if it has left. */
  get reason(): GatewayError | undefined {
    return this.error;
  }

  /** Cancels what was registered last. @param reason absent: the client has left */
  abort(reason?: GatewayError): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.error = reason;
    this.cancel?.();
  }

  /** Registers how the work that is running now is cancelled, instead of the work before it. */
  onAbort(cancel: () => void): void {
    this.cancel = cancel;
    if (this.isCancelled) cancel();
  }
}

export interface UpstreamHead {
  status: number;
  headers: IncomingHttpHeaders;
}

interface Waiting {
  resolve(chunk: IteratorResult<Buffer>): void;
  reject(error: Error): void;
}

/** Bytes of a response that wait in memory before the upstream is paused; the size of a read from a socket. */
const MAX_WAITING_BYTES = 64 * 1024;
const FIRST_FINAL_STATUS = 200;
const FIRST_STATUS_WITHOUT_ANSWER = 300;
const END: IteratorResult<Buffer> = { done: true, value: undefined };

/**
 * One request to an upstream and its response. Receives the events of undici itself, because the streams of `request()` take a
 * tenth of the gateway's processor time. Rejects with undici's errors.
 */
export class UpstreamCall implements Dispatcher.DispatchHandler, AsyncIterator<Buffer> {
  /** Resolves when status and headers have arrived. */
  readonly head: Promise<UpstreamHead>;
  /** Whether the whole request was written to an established connection: from then on the upstream has it. */
  wasSent = false;
  /** Whether the upstream has said that it gives no answer. */
  wasRefused = false;
  /** Of the answer that is read as a whole: released when that is not needed any more. */
  memory: HeldAnswer | undefined;
  private resolveHead!: (head: UpstreamHead) => void;
  private rejectHead!: (error: Error) => void;
  private controller: Dispatcher.DispatchController | undefined;
  private chunks: Buffer[] = [];
  private waitingBytes = 0;
  private isUnlimited = false;
  private hasEnded = false;
  private error: Error | undefined;
  private waiting: Waiting | undefined;

  /**
   * @param span stops when the response has arrived or failed
   * @param onEnd hears once that the call is over, and why if the response is not whole
   */
  constructor(
    private readonly span: Span | undefined,
    private readonly onEnd: (error?: Error) => void,
  ) {
    this.head = new Promise((resolve, reject) => {
      this.resolveHead = resolve;
      this.rejectHead = reject;
    });
  }

  /** The next chunk. Must not be called again before the last one has arrived. */
  next(): Promise<IteratorResult<Buffer>> {
    const chunk = this.chunks.shift();
    if (chunk) {
      this.waitingBytes -= chunk.length;
      this.resumeIfRead();
      return Promise.resolve({ done: false, value: chunk });
    }
    if (this.error) return Promise.reject(this.error);
    if (this.hasEnded) return Promise.resolve(END);
    return new Promise((resolve, reject) => (this.waiting = { resolve, reject }));
  }

  /** The whole body, as soon as there is memory for it. */
  async bytes(memory: HeldAnswer): Promise<Buffer> {
    this.isUnlimited = true;
    this.resumeIfRead();
    const chunks: Buffer[] = [];
    let length = 0;
    for (let chunk = await this.next(); !chunk.done; chunk = await this.next()) {
      chunks.push(chunk.value);
      length += chunk.value.length;
      if (length <= UNCOUNTED_BYTES) continue;
      this.isUnlimited = false;
      await memory.arrived(length);
    }
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  }

  /** Closes the connection unless the response has arrived. */
  abort(): void {
    this.memory?.release();
    const error = new CallCancelledError();
    if (this.controller) this.controller.abort(error);
    this.onResponseError(undefined, error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.error) controller.abort(this.error);
    // On a connection that is established undici writes the whole buffer in the same turn.
    else this.wasSent = true;
  }

  onResponseStart(_controller: unknown, status: number, headers: IncomingHttpHeaders): void {
    this.wasRefused = status >= FIRST_STATUS_WITHOUT_ANSWER;
    if (status >= FIRST_FINAL_STATUS) this.resolveHead({ status, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { waiting } = this;
    if (waiting) {
      this.waiting = undefined;
      waiting.resolve({ done: false, value: chunk });
      return;
    }
    this.chunks.push(chunk);
    this.waitingBytes += chunk.length;
    if (!this.isUnlimited && this.waitingBytes > MAX_WAITING_BYTES) controller.pause();
  }

  onResponseEnd(): void {
    this.span?.stop();
    this.hasEnded = true;
    this.onEnd();
    this.waiting?.resolve(END);
    this.waiting = undefined;
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.hasEnded || this.error) return;
    this.span?.stop();
    this.error = error;
    this.memory?.release();
    this.onEnd(error);
    this.rejectHead(error);
    this.waiting?.reject(error);
    this.waiting = undefined;
  }

  private resumeIfRead(): void {
    if (this.controller?.paused && (this.isUnlimited || this.waitingBytes <= MAX_WAITING_BYTES / 2))
      this.controller.resume();
  }
}
