import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { ROOT } from '../site/service-process';

const MODULES: Record<string, string> = {
  '/agent-client/': join(ROOT, 'dist/packages/agent-client'),
  '/eventsource-parser/': dirname(require.resolve('eventsource-parser/package.json')),
};
const PAGE = `<!doctype html>
<script type="importmap">
  {
    "imports": {
      "@inference/agent-client": "/agent-client/src/index.js",
      "eventsource-parser": "/eventsource-parser/dist/index.js"
    }
  }
</script>
`;

/** A server for a web page that imports the built client. Its origin differs from that of every service. */
export class ClientPage {
  private constructor(private readonly server: Server) {}

  static async start(): Promise<ClientPage> {
    const server = createServer((request, response) => {
      const url = request.url ?? '/';
      const base = Object.keys(MODULES).find((prefix) => url.startsWith(prefix));
      if (!base) return void response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE);
      readFile(join(MODULES[base]!, url.slice(base.length))).then(
        (file) => response.writeHead(200, { 'content-type': 'text/javascript' }).end(file),
        () => response.writeHead(404).end(),
      );
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new ClientPage(server);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
