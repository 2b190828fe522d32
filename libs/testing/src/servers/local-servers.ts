import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';

/** Support for tests that run third-party servers on this machine. */

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Skips the tests with a reason if a server is not installed. Benchmarks load this without a test runner. */
export const describeWhere =
  (isInstalled: boolean, why: string) =>
  (name: string, tests: () => void): void =>
    isInstalled ? describe(name, tests) : describe.skip(`${name} (skipped: ${why})`, tests);

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

/** Every test worker has its own span of ports, which no range leaves. */
const WORKERS = 8;
const SPAN = Math.floor((HIGHEST - LOWEST + 1) / WORKERS);
const FIRST = LOWEST + ((Number(process.env.JEST_WORKER_ID ?? 0) || 0) % WORKERS) * SPAN;

/** Returns the first port of a range of `length` free ports on loopback, none of which was returned before. */
export async function findFreePortRange(length: number): Promise<number> {
  for (;;) {
    const first = FIRST + Math.floor(Math.random() * (SPAN - length + 1));
    const range = Array.from({ length }, (_, index) => first + index);
    if (range.some((port) => given.has(port))) continue;
    range.forEach((port) => given.add(port));
    if ((await Promise.all(range.map(isFree))).every(Boolean)) return first;
    range.forEach((port) => given.delete(port));
  }
}

/** Returns a free port on loopback that was not returned before. */
export const findFreePort = (): Promise<number> => findFreePortRange(1);
