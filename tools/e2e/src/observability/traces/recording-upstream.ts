import { createServer, request, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';

/** Passes requests on to a model server, and keeps the `traceparent` of each. */
export class RecordingUpstream {
  readonly traceparents: (string | undefined)[] = [];

  private constructor(private readonly server: Server) {}

  static async start(engineUrl: string): Promise<RecordingUpstream> {
    const server = createServer((incoming, response) => {
      upstream.traceparents.push(incoming.headers.traceparent as string | undefined);
      const { method, headers, url } = incoming;
      const forwarded = request(engineUrl + url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(response);
      });
      response.on('close', () => forwarded.destroy());
      forwarded.on('error', () => response.destroy());
      incoming.pipe(forwarded);
    });
    const upstream = new RecordingUpstream(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
