import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type SandboxPaymentsConfig } from './config';
import { ConnectionReset } from './injected-faults';
import { type WireAnswer, type WireRequest } from './protocol';
import { refusal, RequestFault } from './request-fault';
import { ownAnswer } from './routes';
import { Sandbox } from './sandbox';

const MAX_BODY_BYTES = 1024 * 1024;
/** Longer than clients leave idle connections open, so that none sends a request on one that the server is just closing. */
const KEEP_ALIVE_MILLIS = 75_000;

export interface SandboxPaymentsServer {
  /** e.g. `http://127.0.0.1:3092`. */
  url: string;
  close(): Promise<void>;
}

/** Starts the sandbox. Rejects if it cannot listen, or cannot read or write its file. */
export async function startServer(config: SandboxPaymentsConfig): Promise<SandboxPaymentsServer> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MILLIS });
  const { address, family, port } = await listen(server, config);
  const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  const sandbox = new Sandbox(config, url);
  server.on('request', (request, response) => void respond(sandbox, request, response));
  try {
    await sandbox.start();
  } catch (error) {
    await close(server);
    throw error;
  }
  return {
    url,
    close: async () => {
      await close(server);
      await sandbox.close();
    },
  };
}

async function respond(sandbox: Sandbox, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const { status, headers, body } = await answer(sandbox, await read(request));
    // The change must be stored before it is answered, so that a kill cannot lose an acknowledged change.
    if (request.method !== 'GET') await sandbox.keep();
    response.writeHead(status, headers).end(body);
  } catch (error) {
    if (error instanceof ConnectionReset) {
      await sandbox.keep();
      response.destroy();
      return;
    }
    if (!(error instanceof RequestFault)) {
      // The client has disconnected.
      if (!request.complete) return;
      process.stderr.write(`sandbox payments: ${stackOf(error)}\n`);
    }
    const { status, headers, body } = refusal(error, request.headers);
    response.writeHead(status, headers).end(body);
  }
}

async function answer(sandbox: Sandbox, request: WireRequest): Promise<WireAnswer> {
  for (const protocol of sandbox.protocols.values()) {
    const answered = await protocol.answer(request);
    if (answered) return answered;
  }
  return ownAnswer(sandbox, request);
}

/** Reads the whole body, even if it is too large: many clients read the response only after they have sent the body. */
async function read(request: IncomingMessage): Promise<WireRequest> {
  const target = request.url ?? '/';
  const [path = '', ...query] = target.split('?');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  if (size > MAX_BODY_BYTES) throw new RequestFault(413, `The body has more than ${MAX_BODY_BYTES} bytes.`);
  return {
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(query.join('?')),
    target,
    headers: request.headers,
    body: Buffer.concat(chunks),
  };
}

const stackOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

function listen(server: Server, { host, port }: SandboxPaymentsConfig): Promise<AddressInfo> {
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
