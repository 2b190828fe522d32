import { HttpException, Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { errors } from 'undici';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { upstreamFailed, upstreamTimedOut } from '../errors/openai-error';
import { type Endpoint } from '../relay/endpoint';
import { Upstream } from './upstream';

/** What an upstream answered, with at least its first bytes already here. */
export interface UpstreamAnswer {
  upstream: string;
  status: number;
  contentType: string;
  retryAfter: string | undefined;
  /** The whole body of a plain answer; the bytes so far of a stream. */
  head: Buffer;
  /** The rest of a stream. */
  rest: AsyncIterator<Buffer> | null;
}

export interface UpstreamRequest {
  endpoint: Endpoint;
  model: string;
  requestId: string;
  /** Builds the body under the upstream's name of the model. */
  bodyFor(upstreamModel: string): Buffer;
  /** Whether a plain answer can be used; one that cannot is a failure of that upstream. */
  accepts(body: Buffer): boolean;
  signal: AbortSignal;
}

/** These may go better elsewhere; any other 4xx is the request's own fault. */
const RETRIED_CLIENT_ERRORS = new Set([401, 403, 404, 408, 429]);
/** The upstream refused our credential, which says nothing of the customer's. */
const CREDENTIAL_ERRORS = new Set([401, 403]);

function isTimeout(error: unknown): boolean {
  return (
    error instanceof errors.ConnectTimeoutError ||
    error instanceof errors.HeadersTimeoutError ||
    error instanceof errors.BodyTimeoutError
  );
}

/** Asks the upstreams of a model one after the other until one answers; nothing has been sent to the client yet. */
@Injectable()
export class Upstreams implements OnApplicationShutdown {
  private readonly logger = new Logger(Upstreams.name);
  private readonly upstreams: Upstream[];

  constructor(@Inject(GATEWAY_CONFIG) config: GatewayConfig) {
    this.upstreams = config.UPSTREAMS.map((options) => new Upstream(options, config));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.upstreams.map((upstream) => upstream.close()));
  }

  serves(model: string): boolean {
    return this.upstreams.some((upstream) => upstream.nameOf(model) !== undefined);
  }

  /**
   * The first answer that is no failure, or the last upstream's own 4xx. Throws 502 when none could answer,
   * 504 when the last one took too long.
   */
  async ask(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const candidates = this.upstreams.filter((upstream) => upstream.nameOf(request.model) !== undefined);
    const ordered = [...candidates.filter((u) => !u.isCooling), ...candidates.filter((u) => u.isCooling)];
    let refusal: UpstreamAnswer | undefined;
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
        if (request.signal.aborted || error instanceof HttpException) throw error;
        this.logger.warn(
          `Upstream ${upstream.name} failed for ${request.model}: ${(error as Error).message}`,
        );
        upstream.coolDown();
        timedOut = isTimeout(error);
      }
    }
    if (refusal) return refusal;
    throw timedOut ? upstreamTimedOut() : upstreamFailed();
  }

  private async askOne(upstream: Upstream, request: UpstreamRequest): Promise<UpstreamAnswer> {
    const body = request.bodyFor(upstream.nameOf(request.model)!);
    const response = await upstream.post(request.endpoint, body, request.requestId, request.signal);
    const contentType = String(response.headers['content-type'] ?? 'application/json');
    const retryAfter = response.headers['retry-after'];
    const answer = {
      upstream: upstream.name,
      status: response.statusCode,
      contentType,
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    };
    if (response.statusCode >= 300 && response.statusCode < 400) {
      await response.body.dump();
      throw new Error(`an unexpected redirect (${response.statusCode})`);
    }
    if (response.statusCode < 300 && contentType.startsWith('text/event-stream')) {
      const chunks = response.body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
      const first = await chunks.next();
      if (first.done) throw new Error('an empty stream');
      return { ...answer, head: first.value, rest: chunks };
    }
    const head = Buffer.from(await response.body.arrayBuffer());
    if (response.statusCode < 300 && !request.accepts(head)) throw new Error('an answer that is none');
    return { ...answer, head, rest: null };
  }
}
