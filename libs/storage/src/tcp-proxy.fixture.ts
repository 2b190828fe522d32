import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A proxy to a server on loopback whose connections a test can interrupt. */
export class TcpProxy {
  /** Number of accepted connections. */
  accepted = 0;
  /** If true, nothing is forwarded any more. */
  isSilent = false;
  /** Number of connections that will break at their first data. */
  breakNext = 0;
  /** Delays data that contains this text. */
  delay: { text: string; millis: number } | undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(targetPort: number): Promise<TcpProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new TcpProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('connection', (socket) => proxy.accept(socket, targetPort));
    return proxy;
  }

  /** Number of open connections. */
  get open(): number {
    return this.sockets.size;
  }

  /** Closes the proxy and all its connections. */
  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private accept(socket: Socket, targetPort: number): void {
    this.accepted += 1;
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    if (this.isSilent) return;
    if (this.breakNext > 0) {
      this.breakNext -= 1;
      socket.once('data', () => socket.destroy());
      return;
    }
    const target = connect(targetPort, '127.0.0.1').on('error', () => socket.destroy());
    socket.on('close', () => target.destroy());
    target.on('close', () => socket.destroy());
    target.pipe(socket);
    socket.on('data', (chunk) => {
      const waitMillis = this.delay && chunk.includes(this.delay.text) ? this.delay.millis : 0;
      if (waitMillis > 0) setTimeout(() => target.write(chunk), waitMillis);
      else target.write(chunk);
    });
  }
}
