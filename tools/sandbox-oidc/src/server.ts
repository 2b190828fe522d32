import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type InteractionResults, type Provider } from 'oidc-provider';
import { type InjectedFaults, injectedFaults, NO_FAULTS } from './injected-faults';
import { type SandboxOidcConfig } from './config';
import { Accounts, createProvider } from './provider';

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);

/** The sign-in and consent page: a plain form, so that a script can send it too. */
function signInPage(action: string, clientId: string, scope: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sandbox sign-in</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 24rem; margin: 4rem auto; padding: 0 1rem }
  label, button { display: block; margin: 1rem 0 }
  input[type=email] { width: 100%; font: inherit }
</style>
<h1>Sandbox sign-in</h1>
<p><strong>${escapeHtml(clientId)}</strong> asks for: ${escapeHtml(scope)}</p>
<form method="post" action="${escapeHtml(action)}">
  <label>E-mail address <input type="email" name="email" autocomplete="email" autofocus></label>
  <label><input type="checkbox" name="verified" value="yes" checked> this address is verified</label>
  <button name="decision" value="approve">Continue</button>
  <button name="decision" value="deny" formnovalidate>Deny</button>
</form>
</html>
`;
}

const HTML = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' };
const MAX_EMAIL_CHARS = 254;

/** `GET` shows the page; `POST` takes `email`, `verified` (`yes` or absent) and `decision` (`approve` or `deny`). */
async function interact(
  provider: Provider,
  people: Accounts,
  request: IncomingMessage,
  response: ServerResponse,
  form: URLSearchParams,
): Promise<void> {
  const { uid, params, grantId } = await provider.interactionDetails(request, response);
  const clientId = String(params.client_id);
  const scope = String(params.scope ?? '');
  if (request.method === 'GET') {
    response.writeHead(200, HTML).end(signInPage(`/interaction/${uid}`, clientId, scope));
    return;
  }
  if (form.get('decision') === 'deny') {
    await provider.interactionFinished(request, response, { error: 'access_denied' });
    return;
  }
  const email = (form.get('email') ?? '').trim().toLowerCase();
  if (!email.includes('@') || email.length > MAX_EMAIL_CHARS) {
    response.writeHead(400, HTML).end(signInPage(`/interaction/${uid}`, clientId, scope));
    return;
  }
  const accountId = people.add({ email, verified: form.get('verified') === 'yes' });
  const grant =
    (grantId && (await provider.Grant.find(grantId))) || new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(scope);
  const result: InteractionResults = { login: { accountId }, consent: { grantId: await grant.save() } };
  await provider.interactionFinished(request, response, result);
}

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
