import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Stands before a service and breaks each of the first connections after so many bytes of its answers. */
export class CuttingProxy {
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
    private readonly cutsAfterBytes: number[],
  ) {
    server.on('connection', (client) => this.accept(client));
  }

  static async start(url: string, cutsAfterBytes: number[]): Promise<CuttingProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new CuttingProxy(server, new URL(url), [...cutsAfterBytes]);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Cuts that are still to come. */
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
      // Written bytes leave before the end does; what comes after them is lost.
      if (data.length >= left) client.end(data.subarray(0, left));
      else client.write(data);
      left -= data.length;
    });
  }
}
