import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A wire to a server on loopback, which can be cut. */
export class TcpRelay {
  /** Connections so far. */
  accepted = 0;
  /** Passes nothing on from now on. */
  isSilent = false;
  /** How many connections break as soon as something comes over them. */
  breakNext = 0;
  /** What has this text in it arrives so much later. */
  late: { text: string; millis: number } | undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(targetPort: number): Promise<TcpRelay> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const relay = new TcpRelay(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('connection', (socket) => relay.take(socket, targetPort));
    return relay;
  }

  /** Connections at this moment. */
  get open(): number {
    return this.sockets.size;
  }

  /** For good. */
  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private take(socket: Socket, targetPort: number): void {
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
      const waitMillis = this.late && chunk.includes(this.late.text) ? this.late.millis : 0;
      if (waitMillis > 0) setTimeout(() => target.write(chunk), waitMillis);
      else target.write(chunk);
    });
  }
}
