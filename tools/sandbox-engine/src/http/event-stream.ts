import type { Midway } from '../behaviour';
import { errorForStatus, errorJson } from './errors';
import type { ModelRequest } from '../endpoints/model-request';
import { beginEvents, dropConnection } from './respond';

/** An answer sent as server-sent events, one event per token. */
export interface StreamedAnswer {
  promptTokens: number;
  /** The text before the first token. */
  opening: string;
  /** The number of tokens of all choices together. The choices alternate. */
  tokenCount: number;
  choices: number;
  /** The event of the token at `index`, counted over all choices. */
  tokenEvent(index: number): string;
  /** The end of each choice, the usage if it was requested, and `[DONE]`. */
  closing: string;
}

/** Writes a streamed answer with its delays and with backpressure. Stops early if a behaviour or the client ends it. */
export class EventStream {
  private written = 0;
  private midway: Midway | undefined;
  private stopAt: number;
  /** The delay before every token. */
  private readonly delayMs: number | undefined;
  private cancelWait: () => void = () => undefined;

  constructor(
    private readonly request: ModelRequest,
    private readonly answer: StreamedAnswer,
  ) {
    this.midway = request.behaviour.midway;
    this.delayMs = request.behaviour.delayMs ?? request.streamDelayMs;
    this.stopAt = Math.min(this.midway?.afterTokens ?? Infinity, answer.tokenCount);
  }

  start(): void {
    const { behaviour, res } = this.request;
    const firstDelayMs = behaviour.firstDelayMs ?? this.delayMs;
    if (firstDelayMs !== undefined) {
      res.once('close', () => this.cancelWait());
    }
    this.wait(firstDelayMs, () => {
      beginEvents(res);
      res.write(this.answer.opening);
      this.writeTokens();
    });
  }

  private readonly writeTokens = (): void => {
    const { res } = this.request;
    while (this.written < this.stopAt) {
      if (res.destroyed) return;
      const flowing = this.writeToken();
      if (!flowing) {
        res.once('drain', this.writeTokens);
        return;
      }
      const stepDone = this.written % this.answer.choices === 0;
      if (this.delayMs !== undefined && stepDone && this.written < this.stopAt) {
        this.wait(this.delayMs, this.writeTokens);
        return;
      }
    }
    this.stop();
  };

  private writeToken(): boolean {
    const { res, served } = this.request;
    const flowing = res.write(this.answer.tokenEvent(this.written));
    if (this.written === 0) served.countPrompt(this.answer.promptTokens);
    served.countCompletion(1);
    this.written += 1;
    return flowing;
  }

  private stop(): void {
    switch (this.midway?.kind) {
      case undefined:
        this.complete();
        return;
      case 'drop':
        dropConnection(this.request.res);
        return;
      case 'error':
        this.request.res.end(`data: ${errorJson(errorForStatus(500))}\n\n`);
        return;
      case 'end':
        this.request.res.end();
        return;
      case 'hang':
        return;
      case 'malformed':
        this.goOnAfterMalformed();
    }
  }

  private complete(): void {
    if (this.answer.tokenCount === 0) this.request.served.countPrompt(this.answer.promptTokens);
    this.request.res.end(this.answer.closing);
  }

  private goOnAfterMalformed(): void {
    this.request.res.write('data: {"id":"broken","choices":[{"index":0,"delta":\n\n');
    this.midway = undefined;
    this.stopAt = this.answer.tokenCount;
    this.writeTokens();
  }

  private wait(delayMs: number | undefined, next: () => void): void {
    if (delayMs === undefined) {
      next();
    } else if (delayMs === 0) {
      const immediate = setImmediate(next);
      this.cancelWait = () => clearImmediate(immediate);
    } else {
      const timer = setTimeout(next, delayMs);
      this.cancelWait = () => clearTimeout(timer);
    }
  }
}
