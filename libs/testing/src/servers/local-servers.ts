import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';

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

/** Returns different free ports. Another process may take one of them before it is used. */
export async function findFreePorts(count: number): Promise<number[]> {
  const servers: Server[] = [];
  for (let index = 0; index < count; index += 1) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
  }
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

export async function findFreePort(): Promise<number> {
  return (await findFreePorts(1))[0]!;
}
