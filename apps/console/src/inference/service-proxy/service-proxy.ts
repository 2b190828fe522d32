import { type Readable } from 'node:stream';
import { type Caller } from '@inference/guards';
import { DetailedException, Metrics, streamTo, UnavailableException } from '@inference/http';
import { startCallSpan } from '@inference/tracing';
import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { type Request, type Response } from 'express';
import { Gauge } from 'prom-client';
import { type Dispatcher, errors, Pool } from 'undici';
import { type InferenceConfig, type ServiceAddress } from '../inference.config';

/** Measures the requests that the console forwards. */
@Injectable()
export class ProxyMetrics {
  private readonly gauge: Gauge;

  constructor(metrics: Metrics) {
    this.gauge = new Gauge({
      name: 'console_forwarded_requests',
      help: 'Requests that wait for an answer of another service, or receive it.',
      labelNames: ['service'],
      registers: [metrics.registry],
    });
  }

  add(service: string): void {
    this.gauge.set({ service }, 0);
  }

  begin(service: string): void {
    this.gauge.inc({ service });
  }

  end(service: string): void {
    this.gauge.dec({ service });
  }
}

/** Headers of the client that the service gets. No credential is among them. */
const REQUEST_HEADERS = ['accept', 'content-type', 'idempotency-key', 'last-event-id'];
/** Headers of the service that the client gets. None concerns a single connection. */
const RESPONSE_HEADERS = [
  'cache-control',
  'content-type',
  'idempotent-replayed',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  'retry-after',
  'x-accel-buffering',
  'x-inference-request-id',
  ...['limit', 'remaining', 'reset'].flatMap((fact) => [
    `x-ratelimit-${fact}-requests`,
    `x-ratelimit-${fact}-tokens`,
  ]),
];

type ReceivedHeaders = Record<string, string | string[] | undefined>;

function pick(headers: ReceivedHeaders, names: string[]): Record<string, string | string[]> {
  const found = names.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(
    found.filter((entry): entry is [string, string | string[]] => entry[1] !== undefined),
  );
}

/** The headers of a request to a service that acts for an account. */
const requestHeadersOf = (
  { headers, id }: Pick<Request, 'headers'> & { id?: unknown },
  accountId: string,
  credential: string,
): Record<string, string | string[]> => ({
  ...pick(headers, REQUEST_HEADERS),
  authorization: `Bearer ${credential}`,
  'x-on-behalf-of': accountId,
  'x-request-id': String(id),
});

const responseHeadersOf = (headers: ReceivedHeaders) => pick(headers, RESPONSE_HEADERS);

/** A request of a client, and where its answer goes. */
interface Exchange {
  caller: Caller;
  request: Request;
  response: Response;
}

interface ServiceProxyOptions {
  /** Name of the service in errors, logs and metrics. */
  service: string;
  /** What the console offers by the service, for the error of a site without it. */
  offer: string;
  /** Undefined if the site has not configured the service. */
  address: ServiceAddress | undefined;
  limits: Pick<InferenceConfig, 'silenceMillis' | 'shutdownGraceMillis'>;
  /** Translates the JSON body of an error. Without it, bodies of errors pass unchanged. */
  translateError?: (body: string, status: number) => object;
}

/** The service as requests reach it. */
interface Target {
  pool: Pool;
  origin: string;
  /** Path of the root of the service, without a slash at the end. */
  basePath: string;
  credential: string;
}

/** Unlimited: each request gets its own connection and waits for no other one. */
const CONNECTIONS = null;
/** Largest body of an error that is translated. The errors of the services have some hundred bytes. */
const MAX_ERROR_BYTES = 65_536;

/** Forwards requests to a service of the platform, on behalf of the account that is signed in. */
export abstract class ServiceProxy implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(ServiceProxy.name);
  /** Undefined if the site has not configured the service. */
  private readonly target: Target | undefined;
  private readonly running = new Set<AbortController>();
  private shutdownTimer: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: ServiceProxyOptions,
    private readonly metrics: ProxyMetrics,
  ) {
    const { address, limits } = options;
    metrics.add(options.service);
    this.target = address && targetOf(address, limits.silenceMillis);
  }

  /** Must return at once. Answers that take longer than the grace period are cut off. */
  beforeApplicationShutdown(): void {
    this.shutdownTimer = setTimeout(() => {
      for (const abort of this.running) abort.abort();
    }, this.options.limits.shutdownGraceMillis);
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.shutdownTimer);
    await this.target?.pool.close();
  }

  /**
   * Sends the request to a path of the service and its answer to the client, as it arrives and no faster than the client reads. A
   * client that disconnects ends the request. Throws 404 if the site does not offer the service, 503 if the service cannot be
   * reached or refuses the console, 504 if it does not answer in time.
   * @param path below the root of the service, encoded
   */
  async forward({ caller, request, response }: Exchange, path: string, query: object = {}): Promise<void> {
    const { service, offer } = this.options;
    const { target } = this;
    if (!target)
      throw new DetailedException(404, `this site does not offer ${offer}`, { code: 'not_offered' });
    const abort = new AbortController();
    const onClose = () => abort.abort();
    response.once('close', onClose);
    this.running.add(abort);
    this.metrics.begin(service);
    const span = startCallSpan({
      method: request.method,
      origin: target.origin,
      path: target.basePath + path,
    });
    try {
      if (response.destroyed) return;
      const answer = await target.pool.request({
        method: request.method as Dispatcher.HttpMethod,
        path: target.basePath + path + queryOf(query),
        headers: { ...requestHeadersOf(request, caller.accountId, target.credential), ...span?.headers },
        body: Buffer.isBuffer(request.body) && request.body.length > 0 ? request.body : null,
        signal: abort.signal,
      });
      span?.answered(answer.statusCode);
      await this.send(answer, response);
    } catch (error) {
      span?.fail(error);
      if (!abort.signal.aborted) throw this.failureOf(error);
      // The shutdown has aborted the request before its answer began.
      if (!response.destroyed && !response.headersSent) throw this.unavailable();
    } finally {
      response.off('close', onClose);
      this.running.delete(abort);
      this.metrics.end(service);
      span?.end();
    }
  }

  private async send(
    { statusCode, headers, body }: Dispatcher.ResponseData,
    response: Response,
  ): Promise<void> {
    if (statusCode === 401) {
      // The caller's session is valid: the console's credential, or the account, is unknown to the service.
      await body.dump();
      this.logger.error(`The ${this.options.service} does not accept the console's request.`);
      throw this.unavailable();
    }
    const { translateError } = this.options;
    const translated =
      translateError && statusCode >= 400 ? translateError(await readText(body), statusCode) : undefined;
    response.status(statusCode);
    // Express's own `set` adds a charset to types that have none.
    for (const [name, value] of Object.entries(responseHeadersOf(headers))) response.setHeader(name, value);
    if (translated) return void response.type('json').json(translated);
    response.flushHeaders();
    try {
      await streamTo(response, body);
    } catch (error) {
      // The status is sent: a broken connection is the only way left to tell the client.
      this.logger.debug(`An answer of the ${this.options.service} broke off: ${(error as Error).message}`);
    }
  }

  private failureOf(error: unknown): unknown {
    if (error instanceof DetailedException) return error;
    const { service } = this.options;
    if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError)
      return new DetailedException(504, `the ${service} did not answer in time`, {
        code: this.codeOf('timeout'),
      });
    this.logger.warn(`The ${service} cannot be reached: ${(error as Error).message}`);
    return this.unavailable();
  }

  private unavailable(): UnavailableException {
    const { service } = this.options;
    return new UnavailableException(`the ${service} is not available now`, this.codeOf('unavailable'));
  }

  private codeOf(fault: string): string {
    return `${this.options.service.replaceAll('-', '_')}_${fault}`;
  }
}

function targetOf({ url, credential }: ServiceAddress, silenceMillis: number): Target {
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    headersTimeout: silenceMillis,
    bodyTimeout: silenceMillis,
  });
  return { pool, origin, basePath: pathname.replace(/\/$/, ''), credential };
}

function queryOf(parameters: object): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

async function readText(body: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ERROR_BYTES) break;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
