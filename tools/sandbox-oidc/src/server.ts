import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Provider } from 'oidc-provider';
import { type InjectedFaults, injectedFaults, NO_FAULTS } from './injected-faults';
import { type SandboxOidcConfig } from './config';
import { interact } from './interaction';
import { Accounts } from './accounts';
import { createProvider } from './provider';

const MAX_BODY_CHARS = 100_000;
/** Longer than clients leave idle connections open, so that none sends a request on one that the server is just closing. */
const KEEP_ALIVE_MILLIS = 75_000;

export interface SandboxOidcServer {
  /** e.g. `http://127.0.0.1:3091`. */
  issuer: string;
  close(): Promise<void>;
}

interface Sandbox {
  provider: Provider;
  people: Accounts;
  injectedFaults: InjectedFaults;
}

/** Starts the provider; rejects when it cannot listen. */
export async function startServer(config: SandboxOidcConfig): Promise<SandboxOidcServer> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MILLIS });
  const { address, family, port } = await listen(server, config);
  const issuer = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  const people = new Accounts();
  const sandbox = { people, injectedFaults: NO_FAULTS } as Sandbox;
  sandbox.provider = await createProvider(issuer, config, people, () => sandbox.injectedFaults);
  const callback = sandbox.provider.callback();
  server.on('request', (request, response) => {
    answer(sandbox, callback, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else json(response, 400, { error: error instanceof Error ? error.message : String(error) });
    });
  });
  return { issuer, close: () => close(server) };
}

async function answer(
  sandbox: Sandbox,
  provide: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? '/').split('?')[0]!;
  if (path === '/healthz') return json(response, 200, { status: 'ok' });
  if (path === '/_sandbox/behaviour' && request.method === 'POST') {
    sandbox.injectedFaults = injectedFaults.parse(JSON.parse(await readBody(request)));
    return json(response, 200, sandbox.injectedFaults);
  }
  if (sandbox.injectedFaults.hang.includes(path)) return;
  const status = sandbox.injectedFaults.status[path];
  if (status !== undefined) return json(response, status, { error: 'server_error' });
  if (!path.startsWith('/interaction/')) return provide(request, response);
  const form = new URLSearchParams(request.method === 'POST' ? await readBody(request) : '');
  return interact(sandbox.provider, sandbox.people, request, response, form);
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > MAX_BODY_CHARS) throw new Error('The body is too large.');
  }
  return text;
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

function listen(server: Server, { host, port }: SandboxOidcConfig): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => resolve(server.address() as AddressInfo));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
