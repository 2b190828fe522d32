import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type OnApplicationShutdown } from '@nestjs/common';
import { endStalledConnections } from '../bodies/stalled-connections';
import { KEEP_ALIVE_MILLIS } from '../keep-alive';

/** Where a scrape gets its text from. */
export interface MetricsSource {
  contentType: string;
  metrics(): Promise<string>;
}

/** Whether the process should go on. It resolves with false if only a restart helps, and asks nothing of the database. */
export type LivenessCheck = () => Promise<boolean>;

/** A process that can run this at all is alive. */
const isAlive: LivenessCheck = () => Promise.resolve(true);

/**
 * Serves `GET /metrics` and `GET /livez` without a credential on a port of its own, so that a firewall can keep it from the
 * outside. `/livez` is 200 if the process is alive, otherwise 503.
 */
export class MetricsServer implements OnApplicationShutdown {
  private server: Server | undefined;

  private readonly routes: Record<string, (response: ServerResponse) => Promise<void>> = {
    '/metrics': (response) => this.sendMetrics(response),
    '/livez': (response) => this.sendLiveness(response),
  };

  constructor(
    private readonly source: MetricsSource,
    private readonly isLive: LivenessCheck = isAlive,
  ) {}

  /** Returns the port, which the system has chosen if `port` is 0. */
  async listen(port: number, host: string): Promise<number> {
    const server = createServer(
      { keepAliveTimeout: KEEP_ALIVE_MILLIS },
      (request, response) => void this.answer(request, response),
    );
    this.server = server;
    endStalledConnections(server);
    server.listen(port, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  onApplicationShutdown(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private async answer({ method, url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    const send = Object.hasOwn(this.routes, url) ? this.routes[url] : undefined;
    if (!send) return void response.writeHead(404).end();
    if (method !== 'GET') return void response.writeHead(405, { Allow: 'GET' }).end();
    await send(response);
  }

  private async sendMetrics(response: ServerResponse): Promise<void> {
    try {
      const text = await this.source.metrics();
      response.setHeader('Content-Type', this.source.contentType).end(text);
    } catch {
      // A collector has failed. The next scrape asks it again.
      response.writeHead(500).end();
    }
  }

  private async sendLiveness(response: ServerResponse): Promise<void> {
    const isLive = await this.isLive();
    response
      .writeHead(isLive ? 200 : 503, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
      .end(JSON.stringify(isLive ? { status: 'ok' } : { error: 'a worker does not answer' }));
  }
}
