import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** passing: forwards everything. refused: closes connections and accepts none. frozen: keeps connections open, but forwards nothing. */
type Mode = 'passing' | 'refused' | 'frozen';

interface Link {
  client: Socket;
  server: Socket;
  listens: boolean;
}

/** The first packet of a PostgreSQL connection names its application; a listening connection says so in its name. */
const LISTENER = /application_name\0[^\0]* listen\0/;

/**
 * A proxy of PostgreSQL that can interrupt the connections that listen for notifications.
 * All other connections are forwarded.
 */
export class DatabaseProxy {
  private mode: Mode = 'passing';
  private readonly links = new Set<Link>();

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (client) => this.accept(client));
  }

  static async start(databaseUrl: string): Promise<DatabaseProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new DatabaseProxy(server, new URL(databaseUrl));
  }

  /** The URL of the same database through the proxy. */
  through(databaseUrl: string): string {
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return url.href;
  }

  get listeners(): number {
    return [...this.links].filter(({ listens }) => listens).length;
  }

  cutListeners(mode: Exclude<Mode, 'passing'>): void {
    this.mode = mode;
    for (const link of this.links) if (link.listens) this.apply(link);
  }

  restore(): void {
    this.mode = 'passing';
    // A frozen connection has missed notifications, so the service must reconnect.
    for (const link of this.links) {
      if (!link.listens) continue;
      this.links.delete(link);
      link.client.destroy();
    }
  }

  async stop(): Promise<void> {
    for (const { client } of this.links) client.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(client: Socket): void {
    const server = connect({ host: this.target.hostname, port: Number(this.target.port) });
    const link: Link = { client, server, listens: false };
    this.links.add(link);
    const end = () => {
      this.links.delete(link);
      client.destroy();
      server.destroy();
    };
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    client.once('data', (first: Buffer) => {
      link.listens = LISTENER.test(first.toString('latin1'));
      server.write(first);
      client.pipe(server);
      server.pipe(client);
      if (link.listens) this.apply(link);
    });
  }

  private apply({ client, server }: Link): void {
    if (this.mode === 'refused') client.destroy();
    if (this.mode === 'frozen') {
      client.unpipe(server);
      server.unpipe(client);
      client.pause();
      server.pause();
    }
  }
}
