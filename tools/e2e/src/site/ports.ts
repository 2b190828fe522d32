import { createServer } from 'node:net';

/** Below what the system gives to outgoing connections, so that a service can be started again on its port. */
const LOWEST = 20_000;
const HIGHEST = 31_999;

/** Whether nobody listens there, on loopback. */
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

/** The first of so many ports in a row that nobody listens on at this moment. */
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
