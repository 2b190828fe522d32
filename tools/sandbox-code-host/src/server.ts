import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type ApiAnswer, answerApi, bringsToken, json, readApiRequest } from './api';
import {
  type InjectedFaults,
  injectedFaults,
  injectFault,
  NO_FAULTS,
  withReplacedParts,
} from './fault-injection';
import { type SandboxCodeHostConfig } from './config';
import { Repositories, repositoryContent } from './repositories/repositories';
import { Requests } from './request-log';
import { addSamples } from './repositories/samples';

const MAX_BODY_CHARS = 50_000_000;
/** Longer than clients leave idle connections open, so that none sends a request on one that the server is just closing. */
const KEEP_ALIVE_MILLIS = 75_000;
const FILE_PATH = /^\/(?:github|gitee)\/([^/]+\/[^/]+)\/releases\/download\/([^/]+)\/([^/]+)$/;
const REPOSITORY_PATH = /^\/_sandbox\/repositories\/([^/]+\/[^/]+)$/;

export interface SandboxCodeHostServer {
  /** e.g. `http://127.0.0.1:3093`. */
  url: string;
  close(): Promise<void>;
}

interface Sandbox {
  origin: string;
  token: string | null;
  repositories: Repositories;
  requests: Requests;
  injectedFaults: InjectedFaults;
}

/** Starts the host; rejects when it cannot listen. */
export async function startServer(config: SandboxCodeHostConfig): Promise<SandboxCodeHostServer> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MILLIS });
  const { address, family, port } = await listen(server, config);
  const origin = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  const sandbox: Sandbox = {
    origin,
    token: config.token,
    repositories: new Repositories(),
    requests: new Requests(),
    injectedFaults: NO_FAULTS,
  };
  if (config.samples) addSamples(sandbox.repositories);
  server.on('request', (request, response) => {
    answer(sandbox, request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else send(response, json(400, { message: error instanceof Error ? error.message : String(error) }));
    });
  });
  return { url: origin, close: () => close(server) };
}

async function answer(sandbox: Sandbox, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', sandbox.origin);
  const call = readApiRequest(url);
  if (call === null) return send(response, await ownAnswer(sandbox, request, url));
  const logEntry = sandbox.requests.add(request);
  response.on('finish', () => (logEntry.status = response.statusCode));
  if (call === undefined || request.method !== 'GET')
    return send(response, json(404, { message: 'Not Found' }));
  const { token, repositories, origin, injectedFaults: faults } = sandbox;
  if (token !== null && !bringsToken(token, call.host, url, request.headers))
    return send(response, json(401, { message: 'Bad credentials' }));
  const correctAnswer = answerApi(repositories, origin, call, url, request.headers['if-none-match']);
  const isFaulty =
    (faults.repository ?? call.repository) === call.repository &&
    (faults.call ?? call.call) === call.call &&
    call.page >= faults.page;
  if (!isFaulty) return send(response, correctAnswer);
  const shaped = withReplacedParts(faults, correctAnswer);
  if (faults.fault === undefined) return send(response, shaped);
  return injectFault(faults.fault, shaped, response);
}

/** The routes that control the sandbox, and the files. */
async function ownAnswer(sandbox: Sandbox, request: IncomingMessage, url: URL): Promise<ApiAnswer> {
  const { method } = request;
  const { pathname } = url;
  if (pathname === '/healthz') return json(200, { status: 'ok' });
  if (pathname === '/_sandbox/behaviour' && method === 'POST') {
    sandbox.injectedFaults = injectedFaults.parse(JSON.parse(await readBody(request)));
    return json(200, sandbox.injectedFaults);
  }
  if (pathname === '/_sandbox/requests') {
    if (method === 'DELETE') sandbox.requests.forget();
    return json(200, { requests: sandbox.requests.list() });
  }
  const repository = REPOSITORY_PATH.exec(pathname)?.[1];
  if (repository !== undefined && method === 'PUT') {
    const content = repositoryContent.parse(JSON.parse(await readBody(request)));
    sandbox.repositories.set(decodeURIComponent(repository), content);
    return json(200, { releases: content.releases.length });
  }
  return file(sandbox, pathname);
}

function file({ repositories }: Sandbox, path: string): ApiAnswer {
  const [, repository, tag, name] = FILE_PATH.exec(path)?.map(decodeURIComponent) ?? [];
  const asset = repository && tag && name ? repositories.findAsset(repository, tag, name) : undefined;
  if (!asset) return json(404, { message: 'Not Found' });
  const type = asset.content_type ?? 'application/octet-stream';
  return { status: 200, headers: { 'Content-Type': type }, body: asset.content };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > MAX_BODY_CHARS) throw new Error('The body is too large.');
  }
  return text;
}

function send(response: ServerResponse, { status, headers, body }: ApiAnswer): void {
  response.writeHead(status, headers).end(body);
}

function listen(server: Server, { host, port }: SandboxCodeHostConfig): Promise<AddressInfo> {
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
