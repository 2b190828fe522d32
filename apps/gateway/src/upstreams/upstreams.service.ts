import { withoutByteOrderMark } from '@inference/http';
import { type Span } from '@inference/tracing';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { errors } from 'undici';
import { GatewayError } from '../errors/openai-error';
import { decodedBody } from './content-coding';
import { inLowerCase, isEventStream } from './media-type';
import { type ServedEndpoint, Upstream } from './upstream';
import { type Cancellation, type UpstreamCall } from './upstream-call';
import {
  CallCancelledError,
  RequestAbandonedError,
  UpstreamFailedError,
  UpstreamTimedOutError,
} from './upstream.errors';
import { UPSTREAMS_CONFIG, type UpstreamsConfig } from './upstreams.config';

/** The response of an upstream, of which at least the first bytes have arrived. */
export interface UpstreamAnswer<Content> {
  upstream: string;
  status: number;
  contentType: string;
  retryAfter: string | undefined;
  /** The whole body of a plain answer; the first chunk of a stream. */
  head: Buffer;
  /** What `read` has returned for a plain answer below 300; otherwise null. */
  content: Content | null;
  /** The remaining chunks of a stream; null for a plain answer. */
  rest: AsyncIterator<Buffer> | null;
  /** Of the call, for what its tokens were; whoever takes the answer ends it. Undefined if tracing is off. */
  span: Span | undefined;
}

export interface UpstreamRequest<Content> {
  endpoint: ServedEndpoint;
  model: string;
  requestId: string;
  /** Of a body that is no JSON. */
  contentType?: string;
  /** Builds the request body with the upstream's own name of the model. */
  bodyFor(upstreamModel: string): Buffer;
  /** Reads the body of a plain answer. Returns null if it is not usable: then the upstream counts as failed. */
  read(body: Buffer): Content | null;
  /** Whether an answer of this type is taken chunk by chunk. Without it event streams are. */
  isStream?(contentType: string): boolean;
  cancellation: Cancellation;
}

/** Client errors that another upstream may not answer; any other 4xx is the fault of the request. */
const RETRIED_CLIENT_ERRORS = new Set([401, 403, 404, 408, 429]);
/** The upstream refused the gateway's credential; the customer's own credential is valid. */
const CREDENTIAL_ERRORS = new Set([401, 403]);

function isTimeout(error: unknown): boolean {
  return (
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  );
}

/** Tries the upstreams of a model one after the other until one answers. Nothing has been sent to the client yet. */
@Injectable()
export class UpstreamsService implements OnApplicationShutdown {
  private readonly logger = new Logger(UpstreamsService.name);
  private readonly upstreams: Upstream[];

  constructor(@Inject(UPSTREAMS_CONFIG) config: UpstreamsConfig) {
    this.upstreams = config.upstreams.map((options) => new Upstream(options, config));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.upstreams.map((upstream) => upstream.close()));
  }

  /** Whether any upstream serves the model. */
  serves(model: string): boolean {
    return this.upstreams.some((upstream) => upstream.nameOf(model) !== undefined);
  }

  /**
   * Returns the first answer that is no failure, or else the last 4xx that is not about the gateway's credential. Throws
   * UpstreamFailedError if there is none, UpstreamTimedOutError if the last upstream exceeded a timeout. When the request is
   * cancelled: RequestAbandonedError if an upstream has it, otherwise any error.
   */
  async ask<Content>(request: UpstreamRequest<Content>): Promise<UpstreamAnswer<Content>> {
    const candidates = this.upstreams.filter((upstream) => upstream.nameOf(request.model) !== undefined);
    const ordered = [...candidates.filter((u) => !u.isCooling), ...candidates.filter((u) => u.isCooling)];
    let refusal: UpstreamAnswer<Content> | undefined;
    let timedOut = false;
    for (const upstream of ordered) {
      try {
        const answer = await this.askOne(upstream, request);
        if (answer.status < 400) return answer;
        if (answer.status < 500 && !RETRIED_CLIENT_ERRORS.has(answer.status)) return answer;
        this.logger.warn(`Upstream ${upstream.name} answered ${answer.status} for ${request.model}.`);
        if (answer.status >= 500) upstream.coolDown();
        else if (!CREDENTIAL_ERRORS.has(answer.status)) refusal = answer;
        timedOut = false;
      } catch (error) {
        if (request.cancellation.aborted || error instanceof GatewayError) throw error;
        this.logger.warn(
          `Upstream ${upstream.name} failed for ${request.model}: ${(error as Error).message}`,
        );
        upstream.coolDown();
        timedOut = isTimeout(error);
      }
    }
    if (refusal) return refusal;
    const last = ordered.at(-1)?.name;
    throw timedOut ? new UpstreamTimedOutError(last) : new UpstreamFailedError(last);
  }

  private async askOne<Content>(
    upstream: Upstream,
    request: UpstreamRequest<Content>,
  ): Promise<UpstreamAnswer<Content>> {
    const model = upstream.nameOf(request.model)!;
    const body = request.bodyFor(model);
    const span = upstream.startSpan(request.endpoint, model);
    try {
      const answer = await this.exchange(upstream, request, body, span);
      if (answer.status >= 300) span?.end();
      return answer;
    } catch (error) {
      span?.fail(error);
      span?.end();
      throw error;
    }
  }

  private async exchange<Content>(
    upstream: Upstream,
    request: UpstreamRequest<Content>,
    body: Buffer,
    span: Span | undefined,
  ): Promise<UpstreamAnswer<Content>> {
    const { endpoint, requestId, cancellation, contentType } = request;
    const call = upstream.post(endpoint, body, requestId, cancellation, span, contentType);
    try {
      return await this.receive(call, upstream, request, span);
    } catch (error) {
      const isAbandoned = error instanceof CallCancelledError && call.wasSent && !call.wasRefused;
      throw isAbandoned ? new RequestAbandonedError(upstream.name) : error;
    }
  }

  private async receive<Content>(
    call: UpstreamCall,
    upstream: Upstream,
    request: UpstreamRequest<Content>,
    span: Span | undefined,
  ): Promise<UpstreamAnswer<Content>> {
    const { status, headers } = await call.head;
    span?.answered(status);
    const contentType = inLowerCase(String(headers['content-type'] ?? 'application/json'));
    const retryAfter = headers['retry-after'];
    const answer = {
      upstream: upstream.name,
      status,
      contentType,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      span,
    };
    if (status >= 300 && status < 400) {
      call.abort();
      throw new Error(`an unexpected redirect (${status})`);
    }
    const body = await decodedBody(call, headers['content-encoding']);
    if (status < 300 && (request.isStream ?? isEventStream)(contentType)) {
      const first = await body.next();
      if (first.done) throw new Error('an empty stream');
      return { ...answer, head: first.value, content: null, rest: body };
    }
    const head = withoutByteOrderMark(await body.bytes());
    if (status >= 300) return { ...answer, head, content: null, rest: null };
    const content = request.read(head);
    if (content === null) throw new Error('the answer cannot be used');
    return { ...answer, head, content, rest: null };
  }
}
