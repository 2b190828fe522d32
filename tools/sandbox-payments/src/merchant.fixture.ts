import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { findFreePort } from '@inference/testing';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A merchant's server. It records the received notifications and answers with the configured statuses. */
export class TestMerchant {
  readonly received: Received[] = [];
  /** Statuses of the next answers, then 200. */
  statuses: number[] = [];
  /** While true, requests are not answered until `answer()`. */
  silent = false;
  mostAtOnce = 0;
  private readonly open = new Set<ServerResponse>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** `port`: the port of a merchant that was closed, to take its place. */
  static async start(port?: number): Promise<TestMerchant> {
    const server = createServer();
    const ownPort = port ?? (await findFreePort());
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port: ownPort, host: '127.0.0.1' }, resolve);
    });
    const merchant = new TestMerchant(server, `http://127.0.0.1:${ownPort}`);
    server.on('request', async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk as string;
      merchant.received.push({ path: request.url!, headers: request.headers, body });
      merchant.open.add(response);
      merchant.mostAtOnce = Math.max(merchant.mostAtOnce, merchant.open.size);
      if (!merchant.silent) merchant.answer();
    });
    return merchant;
  }

  /** Answers all waiting requests. */
  answer(): void {
    for (const response of this.open) {
      const status = this.statuses.shift() ?? 200;
      response.writeHead(status, status === 302 ? { Location: `${this.url}/elsewhere` } : {});
      response.end(status === 200 ? 'success' : 'x'.repeat(5_000));
    }
    this.open.clear();
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }
}
