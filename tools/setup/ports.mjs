import net from 'node:net';

/** @returns {Promise<number>} a port of loopback that no process listens on at this moment */
export function findFreePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      server.close(() => (port ? resolve(port) : reject(new Error('No port was assigned.'))));
    });
  });
}
