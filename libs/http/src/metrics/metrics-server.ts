import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type OnApplicationShutdown } from '@nestjs/common';

/** Where a scrape gets its text from. */
export interface MetricsSource {
  contentType: string;
  metrics(): Promise<string>;
}

/** Serves `GET /metrics` without a credential on a port of its own, so that a firewall can keep it from the outside. */
export class MetricsServer implements OnApplicationShutdown {
  private server: Server | undefined;

  constructor(private readonly source: MetricsSource) {}

  /** Returns the port, which the system has chosen if `port` is 0. */
  async listen(port: number, host: string): Promise<number> {
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
      const text = await this.source.metrics();
      response.setHeader('Content-Type', this.source.contentType).end(text);
    } catch {
      // A collector has failed. The next scrape asks it again.
      response.writeHead(500).end();
    }
  }
}
