import { Pool } from 'undici';
import { type Cancellation } from './cancellation';
import { UpstreamCall } from './upstream-call';
import { type UpstreamConfig, type UpstreamTimeouts } from './upstreams.config';

/** Most connections to one upstream; further requests wait in the gateway. */
const MAX_CONNECTIONS = 512;
/** How long an upstream that failed is tried last. */
const COOL_DOWN_MILLIS = 5_000;

/** One OpenAI-compatible server and its keep-alive connections. */
export class Upstream {
  readonly name: string;
  private readonly pool: Pool;
  private readonly basePath: string;
  private readonly headers: Record<string, string>;
  private coolUntilMillis = 0;

  constructor(
    private readonly options: UpstreamConfig,
    timeouts: UpstreamTimeouts,
  ) {
    const { origin, pathname } = new URL(options.baseUrl);
    this.name = options.name;
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

  /** Sends a request. The call ends with the cancellation. */
  post(path: string, body: Buffer, requestId: string, cancellation: Cancellation): UpstreamCall {
    const call = new UpstreamCall();
    cancellation.onAbort(() => call.abort());
    this.pool.dispatch(
      {
        method: 'POST',
        path: `${this.basePath}/${path}`,
        headers: { ...this.headers, 'x-request-id': requestId },
        body,
      },
      call,
    );
    return call;
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}
