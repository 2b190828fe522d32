import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface IssuerRequest {
  method: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

export const ISSUER_TOKEN = 'a token of the issuer 0123456789';

/** A fake issuer of tax files; each test sets its answers. */
export class TestIssuer {
  readonly requests: IssuerRequest[] = [];
  /** Called for each request; an answer that does not end the response leaves it open. */
  answer: (response: ServerResponse, request: IssuerRequest) => void = (response) =>
    TestIssuer.status(202)(response);

  private constructor(private readonly server: Server) {}

  static async start(): Promise<TestIssuer> {
    const server = createServer();
    const issuer = new TestIssuer(server);
    server.on('request', (request, response) => {
      // A former test's client that still asks at this port is not the client of this one.
      if (!request.url?.startsWith('/invoices')) {
        response.writeHead(404).end();
        return;
      }
      void json(request).then((body) => {
        const received = { method: request.method!, headers: request.headers, body };
        issuer.requests.push(received);
        issuer.answer(response, received);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return issuer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/invoices`;
  }

  get environment(): Record<string, string> {
    return { INVOICE_ISSUER_URL: this.url, INVOICE_ISSUER_TOKEN: ISSUER_TOKEN };
  }

  static status(status: number, headers: Record<string, string> = {}) {
    return (response: ServerResponse) => void response.writeHead(status, headers).end();
  }

  static file(type: string, bytes: Buffer | string) {
    return (response: ServerResponse) => void response.writeHead(200, { 'Content-Type': type }).end(bytes);
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }
}
