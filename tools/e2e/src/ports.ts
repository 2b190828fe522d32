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

/** A port on loopback that nobody listens on at this moment. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST + 1));
    if (await isFree(port)) return port;
  }
}
