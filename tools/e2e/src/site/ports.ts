import { createServer } from 'node:net';

/** Below the ports that the system assigns to outgoing connections, so that a restarted service gets its port again. */
const LOWEST = 20_000;
const HIGHEST = 31_999;

/** True if no process listens on the port on loopback. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().on('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Includes the ports of stopped services, which may be restarted. */
const given = new Set<number>();

/** Every test worker has its own range of ports. */
const WORKERS = 8;
const worker = (Number(process.env.JEST_WORKER_ID ?? 0) || 0) % WORKERS;

/** Returns the first port of a range of `length` free ports on loopback. */
export async function findFreePortRange(length: number): Promise<number> {
  for (;;) {
    const first = await findFreePort();
    const others = Array.from({ length: length - 1 }, (_, index) => first + 1 + index);
    const areFree = await Promise.all(others.map((port) => !given.has(port) && isFree(port)));
    if (!areFree.every(Boolean)) continue;
    others.forEach((port) => given.add(port));
    return first;
  }
}

/** Returns a free port on loopback that was not returned before. */
export async function findFreePort(): Promise<number> {
  const span = Math.floor((HIGHEST - LOWEST + 1) / WORKERS);
  for (;;) {
    const port = LOWEST + worker * span + Math.floor(Math.random() * span);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}
