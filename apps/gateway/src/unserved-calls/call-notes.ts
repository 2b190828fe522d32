import { type Caller } from '@inference/guards';
import { type CalledEndpoint } from '../upstreams/upstream';

export const DEFAULT_ENTRYPOINT = 'gateway';

declare module 'express' {
  interface Request {
    call?: CallNotes;
  }
}

/** What becomes known of a call while it runs, for the log of calls. Holds nothing of its content. */
export class CallNotes {
  readonly startedAt = new Date();
  entrypoint: string;
  /** Whether another model may answer. */
  allowsFallbacks = true;
  /** Names the call, so that the client can repeat it. */
  idempotencyKey: string | undefined;
  /** As the request names it, unchecked. */
  model: unknown;
  /** The last one that was asked. */
  upstream: string | undefined;
  private readonly startedMillis = performance.now();
  private firstByteMillis: number | undefined;

  constructor(
    readonly endpoint: CalledEndpoint,
    readonly caller: Caller,
    /** The `X-Request-Id` of the answer, and its name in the console. */
    readonly requestId: string,
  ) {
    this.entrypoint = caller.service ?? DEFAULT_ENTRYPOINT;
  }

  /** Since the beginning of the call, in whole milliseconds. */
  get durationMs(): number {
    return Math.round(performance.now() - this.startedMillis);
  }

  get timeToFirstByteMs(): number | undefined {
    return this.firstByteMillis;
  }

  /** Notes the upstream whose answer begins now. */
  answeredBy(upstream: string): void {
    this.upstream = upstream;
    this.firstByteMillis = this.durationMs;
  }
}
