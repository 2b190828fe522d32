import { type Dispatcher, Pool } from 'undici';
import { type GatewayConfig, type UpstreamConfig } from '../config';

const CONNECTIONS = 512;
/** An upstream that just failed is asked last for this long. */
const COOL_DOWN_MILLIS = 5_000;

/** One OpenAI-compatible server and its kept-alive connections. */
export class Upstream {
  readonly name: string;
  private readonly pool: Pool;
  private readonly basePath: string;
  private readonly headers: Record<string, string>;
  private coolUntilMillis = 0;

  constructor(
    private readonly options: UpstreamConfig,
    timeouts: Pick<
      GatewayConfig,
      | 'UPSTREAM_CONNECT_TIMEOUT_SECONDS'
      | 'UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS'
      | 'UPSTREAM_IDLE_TIMEOUT_SECONDS'
    >,
  ) {
    const { origin, pathname } = new URL(options.base_url);
    this.name = options.name;
    this.basePath = pathname.replace(/\/$/, '');
    this.headers = { 'content-type': 'application/json' };
    if (options.api_key) this.headers.authorization = `Bearer ${options.api_key}`;
    this.pool = new Pool(origin, {
      connections: CONNECTIONS,
      connect: { timeout: timeouts.UPSTREAM_CONNECT_TIMEOUT_SECONDS * 1000 },
      headersTimeout: timeouts.UPSTREAM_FIRST_BYTE_TIMEOUT_SECONDS * 1000,
      bodyTimeout: timeouts.UPSTREAM_IDLE_TIMEOUT_SECONDS * 1000,
    });
  }

  /** The upstream's own name of a model that it serves, or undefined. */
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

  post(path: string, body: Buffer, requestId: string, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    return this.pool.request({
      method: 'POST',
      path: `${this.basePath}/${path}`,
      headers: { ...this.headers, 'x-request-id': requestId },
      body,
      signal,
    });
  }

  async close(): Promise<void> {
    await this.pool.close();
  }
}
