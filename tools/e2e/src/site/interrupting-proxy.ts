import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy that closes each of the first connections after a number of bytes of the response. */
export class InterruptingProxy {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
    private readonly cutsAfterBytes: number[],
  ) {
    server.on('connection', (client) => this.accept(client));
  }

  static async start(url: string, cutsAfterBytes: number[]): Promise<InterruptingProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new InterruptingProxy(server, new URL(url), [...cutsAfterBytes]);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The number of remaining interruptions. */
  get cutsLeft(): number {
    return this.cutsAfterBytes.length;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(client: Socket): void {
    const service = connect({ host: this.target.hostname, port: Number(this.target.port) });
    let left = this.cutsAfterBytes.shift() ?? Infinity;
    const end = () => {
      client.destroy();
      service.destroy();
    };
    for (const socket of [client, service]) {
      this.sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.pipe(service);
    service.on('data', (data: Buffer) => {
      // The written bytes are sent before the end; the rest is lost.
      if (data.length >= left) client.end(data.subarray(0, left));
      else client.write(data);
      left -= data.length;
    });
  }
}
