import { isTracing, type Span, startCallSpan } from '@inference/tracing';
import { Pool } from 'undici';
import { type Cancellation, UpstreamCall } from './upstream-call';
import { type UpstreamConfig, type UpstreamTimeouts } from './upstreams.config';

/** Most connections to one upstream; further requests wait in the gateway. */
const MAX_CONNECTIONS = 512;
/** As OpenTelemetry's conventions for generative AI name the operations. */
const OPERATIONS: Record<Endpoint, string> = {
  'chat/completions': 'chat',
  completions: 'text_completion',
  embeddings: 'embeddings',
};
/** How long an upstream that failed is tried last. */
const COOL_DOWN_MILLIS = 5_000;

/** One OpenAI-compatible server and its keep-alive connections. */
export class Upstream {
  readonly name: string;
  private readonly pool: Pool;
  private readonly origin: string;
  private readonly basePath: string;
  private readonly headers: Record<string, string>;
  private coolUntilMillis = 0;

  constructor(
    private readonly options: UpstreamConfig,
    timeouts: UpstreamTimeouts,
  ) {
    const { origin, pathname } = new URL(options.baseUrl);
    this.name = options.name;
    this.origin = origin;
    this.basePath = pathname.replace(/\/$/, '');
    this.headers = { 'content-type': 'application/json' };
    if (options.apiKey) this.headers.authorization = `Bearer ${options.apiKey}`;
    this.pool = new Pool(origin, {
      connections: MAX_CONNECTIONS,
      connect: { timeout: timeouts.connectTimeoutSeconds * 1000 },
      headersTimeout: timeouts.firstByteTimeoutSeconds * 1000,
      bodyTimeout: timeouts.idleTimeoutSeconds * 1000,
    });
  }

  /** The upstream's own name of the model, or undefined if it does not serve the model. */
  nameOf(model: string): string | undefined {
    const { models } = this.options;
    if (!models) return model;
    if (Array.isArray(models)) return models.includes(model) ? model : undefined;
    return Object.hasOwn(models, model) ? models[model] : undefined;
  }

  get isCooling(): boolean {
    return performance.now() < this.coolUntilMillis;
  }

  coolDown(): void {
    this.coolUntilMillis = performance.now() + COOL_DOWN_MILLIS;
  }

  /** The span of a call; undefined if tracing is off. @param model the upstream's own name of the model */
  startSpan(endpoint: Endpoint, model: string): Span | undefined {
    if (!isTracing()) return undefined;
    const path = this.pathOf(endpoint);
    return startCallSpan({
      method: 'POST',
      origin: this.origin,
      path,
      template: path,
      attributes: {
        'gen_ai.operation.name': OPERATIONS[endpoint],
        'gen_ai.provider.name': this.name,
        'gen_ai.request.model': model,
      },
    });
  }

  /** Sends a request. The call ends with the cancellation. */
  post(
    endpoint: Endpoint,
    body: Buffer,
    requestId: string,
    cancellation: Cancellation,
    span?: Span,
  ): UpstreamCall {
    const call = new UpstreamCall(span);
    cancellation.onAbort(() => call.abort());
    this.pool.dispatch(
      {
        method: 'POST',
        path: this.pathOf(endpoint),
        headers: { ...this.headers, 'x-request-id': requestId, ...span?.headers },
        body,
      },
      call,
    );
    return call;
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  private pathOf(endpoint: Endpoint): string {
    return `${this.basePath}/${endpoint}`;
  }
}

/** The OpenAI endpoints that the gateway proxies, by their path below /v1. */
export type Endpoint = 'chat/completions' | 'completions' | 'embeddings';

/** What clients call and the log of calls names. Protocols beside OpenAI's first ones are translated to chat completions. */
export type CalledEndpoint = Endpoint | 'messages' | 'responses';

/** The endpoint of an upstream that serves a call. */
export const servedEndpointOf = (called: CalledEndpoint): Endpoint =>
  called === 'messages' || called === 'responses' ? 'chat/completions' : called;
