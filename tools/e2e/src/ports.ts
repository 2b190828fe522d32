import { createServer } from 'node:net';

/** Below what the system gives to outgoing connections, so that a service can be started again on its port. */
const LOWEST = 20_000;
const HIGHEST = 31_999;

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Those of a stopped service too: it comes back to its port. */
const given = new Set<number>();

/** Every test worker draws from a part of its own. */
const WORKERS = 8;
const worker = (Number(process.env.JEST_WORKER_ID ?? 0) || 0) % WORKERS;

/** A port on loopback that nobody listens on at this moment, and that was given to nobody before. */
export async function findFreePort(): Promise<number> {
  const span = Math.floor((HIGHEST - LOWEST + 1) / WORKERS);
  for (;;) {
    const port = LOWEST + worker * span + Math.floor(Math.random() * span);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}
