import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** passing: as if it were not there; refused: broken and not to be had again; frozen: open, but nothing comes through. */
type Mode = 'passing' | 'refused' | 'frozen';

interface Link {
  client: Socket;
  server: Socket;
  listens: boolean;
}

/** The first packet of a PostgreSQL connection names its application; a listening connection says so in its name. */
const LISTENER = /application_name\0[^\0]* listen\0/;

/**
 * Stands between a service and PostgreSQL and can cut off the connections that wait for notifications, those alone:
 * every other one works on.
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

  /** The same database by way of the proxy. */
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
    // What was frozen has missed what was said meanwhile: its owner has to connect again.
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
