import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Engine, answer } from './routes';
import { ServedCounters, type ServedFigures } from './served-counters';

export interface SandboxEngineOptions {
  /** 0 for any free port. */
  port: number;
  /** Default: 127.0.0.1. */
  host?: string;
  /** If given, every `/v1` request must send it as a bearer token. */
  apiKey?: string;
  /** The pace of streamed answers without a delay of their own. Default: 0, which sends all tokens at once. */
  tokensPerSecond?: number;
}

export interface SandboxEngine {
  /** For example `http://127.0.0.1:3090`. The OpenAI base URL is this + `/v1`. */
  url: string;
  /** Stops listening, waits up to `graceMs` (default 0) for running answers, then closes their connections. */
  close(graceMs?: number): Promise<void>;
  served(): ServedFigures;
}

// Longer than clients keep idle connections, so that the engine never closes one while a client reuses it.
const KEEP_ALIVE_MS = 120_000;
const CLOSE_POLL_MS = 20;

/** Starts an engine. Rejects if it cannot listen. */
export async function startSandboxEngine(options: SandboxEngineOptions): Promise<SandboxEngine> {
  const { apiKey, tokensPerSecond } = options;
  const engine: Engine = {
    apiKey,
    streamDelayMs: tokensPerSecond ? 1_000 / tokensPerSecond : undefined,
    served: new ServedCounters(),
  };
  const server = createServer(
    { keepAlive: true, noDelay: true, keepAliveTimeout: KEEP_ALIVE_MS },
    (req, res) => answer(engine, req, res),
  );
  const { address, family, port } = await listen(server, options);
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: (graceMs = 0) => close(server, graceMs),
    served: () => engine.served.snapshot(),
  };
}

function listen(server: Server, { port, host = '127.0.0.1' }: SandboxEngineOptions): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => {
      const address = server.address();
      if (address === null || typeof address === 'string')
        reject(new Error('The engine listens on no port.'));
      else resolve(address);
    });
  });
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    // A connection becomes idle only when its answer ends, so idle connections are closed repeatedly.
    const idle = setInterval(() => server.closeIdleConnections(), CLOSE_POLL_MS);
    const grace = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearInterval(idle);
      clearTimeout(grace);
      resolve();
    });
  });
}
