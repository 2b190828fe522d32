import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Metrics } from './metrics';

/** Serves `GET /metrics` without a credential on a port of its own, so that a firewall can keep it from the outside. */
@Injectable()
export class MetricsServer implements OnApplicationShutdown {
  private server: Server | undefined;

  constructor(private readonly metrics: Metrics) {}

  /** Returns the port, which the system has chosen if `port` is 0. */
  async listen(port: number, host: string): Promise<number> {
    this.metrics.observeProcess();
    const server = createServer((request, response) => void this.answer(request, response));
    this.server = server;
    server.listen(port, host);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  onApplicationShutdown(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }

  private async answer({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (url !== '/metrics') return void response.writeHead(404).end();
    if (method !== 'GET') return void response.writeHead(405, { Allow: 'GET' }).end();
    try {
      const text = await this.metrics.registry.metrics();
      response.setHeader('Content-Type', this.metrics.registry.contentType).end(text);
    } catch {
      // A collector has failed. The next scrape asks it again.
      response.writeHead(500).end();
    }
  }
}
