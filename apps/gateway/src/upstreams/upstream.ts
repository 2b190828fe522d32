import { isTracing, type Span, startCallSpan } from '@inference/tracing';
import { Pool } from 'undici';
import { type Cancellation, UpstreamCall } from './upstream-call';
import { type UpstreamConfig, type UpstreamTimeouts } from './upstreams.config';

/** Most connections to one upstream; further requests wait in the gateway. */
const MAX_CONNECTIONS = 512;
/** As OpenTelemetry's conventions for generative AI name the operations. */
const OPERATIONS: Record<ServedEndpoint, string> = {
  'chat/completions': 'chat',
  completions: 'text_completion',
  embeddings: 'embeddings',
  rerank: 'rerank',
  'images/generations': 'generate_image',
  'audio/transcriptions': 'transcribe',
  'audio/translations': 'translate',
  'audio/speech': 'generate_speech',
  moderations: 'moderate',
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
    // Without the header every content coding is acceptable (RFC 9110, 12.5.3).
    this.headers = { 'content-type': 'application/json', 'accept-encoding': 'identity' };
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
  startSpan(endpoint: ServedEndpoint, model: string): Span | undefined {
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

  /** Sends a request. The call ends with the cancellation. @param contentType of a body that is no JSON */
  post(
    endpoint: ServedEndpoint,
    body: Buffer,
    requestId: string,
    cancellation: Cancellation,
    span?: Span,
    contentType?: string,
  ): UpstreamCall {
    const call = new UpstreamCall(span);
    cancellation.onAbort(() => call.abort());
    this.pool.dispatch(
      {
        method: 'POST',
        path: this.pathOf(endpoint),
        headers: {
          ...this.headers,
          ...(contentType !== undefined && { 'content-type': contentType }),
          'x-request-id': requestId,
          ...span?.headers,
        },
        body,
      },
      call,
    );
    return call;
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  private pathOf(endpoint: ServedEndpoint): string {
    return `${this.basePath}/${endpoint}`;
  }
}

/** The OpenAI endpoints for text that the gateway proxies, by their path below /v1. */
export type Endpoint = 'chat/completions' | 'completions' | 'embeddings';

/** Endpoints of models with one task, which are passed on and metered by their own units (`tasks/`). */
export type TaskEndpoint =
  | 'rerank'
  | 'images/generations'
  | 'audio/transcriptions'
  | 'audio/translations'
  | 'audio/speech'
  | 'moderations';

export type ServedEndpoint = Endpoint | TaskEndpoint;

/** What clients call and the log of calls names. Protocols beside OpenAI's first ones are translated to chat completions. */
export type CalledEndpoint = ServedEndpoint | 'messages' | 'responses';

/** The endpoint of an upstream that serves a call for text. */
export const servedEndpointOf = (called: CalledEndpoint): Endpoint =>
  called === 'messages' || called === 'responses' ? 'chat/completions' : (called as Endpoint);
