import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A proxy between a console and PostgreSQL that drops the response to one COMMIT: that of the first transaction
 * with a statement that contains the given text.
 */
export class LostCommit {
  /** True once a response was dropped. */
  isLost = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
    private readonly text: string,
  ) {
    server.on('connection', (client) => this.forward(client));
  }

  static async start(databaseUrl: string, text: string): Promise<LostCommit> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LostCommit(server, new URL(databaseUrl), text);
  }

  get url(): string {
    const url = new URL(this.target);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private forward(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    let isMeant = false;
    let isCut = false;
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => [client, server].forEach((each) => each.destroy()));
    }
    client.on('data', (chunk) => {
      isMeant ||= !this.isLost && chunk.includes(this.text);
      isCut = isMeant && chunk.includes('COMMIT');
      server.write(chunk);
    });
    server.on('data', (chunk) => {
      if (!isCut) return void client.write(chunk);
      this.isLost = true;
      client.destroy();
    });
  }
}
