import { type Caller } from '@inference/guards';
import { type IncomingHttpHeaders } from 'node:http';
import { type CalledEndpoint } from '../upstreams/upstream';

export const DEFAULT_ENTRYPOINT = 'gateway';

declare module 'express' {
  interface Request {
    call?: CallNotes;
  }
}

/** Printable ASCII, as OpenAI wants it. */
const CLIENT_REQUEST_ID = /^[\x20-\x7e]{1,255}$/;

/**
 * The client's own id of a call. One that is too long or not printable may be that of a proxy, so it is no reason to refuse the call. Services
 * name their own requests so.
 */
export function clientRequestIdOf(
  { headers }: { headers: IncomingHttpHeaders },
  { service }: Caller,
): string | undefined {
  const id = headers['x-client-request-id'] ?? headers['x-request-id'];
  return service === undefined && typeof id === 'string' && CLIENT_REQUEST_ID.test(id) ? id : undefined;
}

/** What becomes known of a call while it runs, for the log of calls. Holds nothing of its content. */
export class CallNotes {
  readonly startedAt = new Date();
  entrypoint: string;
  /** Whether another model may answer. */
  allowsFallbacks = true;
  /** What the client calls the call; undefined if it has named none, or not in a storable way. */
  clientRequestId: string | undefined;
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
