import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createTestDatabase, findFreePort, type TestDatabase, waitFor } from '@inference/testing';
import { NotificationChannel } from './notification-channel';

const NAME = 'channel under test';

/** A TCP proxy between the channel and the server, so that the test can make the server unavailable. */
class Line {
  private readonly sockets = new Set<Socket>();
  private server: Server | undefined;
  private port: number | undefined;
  private refusing = false;
  refusals = 0;

  constructor(private readonly target: URL) {}

  get url(): string {
    const url = new URL(this.target);
    url.port = String(this.port);
    return url.href;
  }

  async up(): Promise<void> {
    this.refusing = false;
    this.server ??= createServer((socket) => {
      if (this.refusing) {
        this.refusals++;
        socket.destroy();
        return;
      }
      const upstream = connect(Number(this.target.port), this.target.hostname);
      for (const [one, other] of [
        [socket, upstream],
        [upstream, socket],
      ] as const) {
        this.sockets.add(one);
        one.pipe(other);
        one.on('error', () => other.destroy());
        one.on('close', () => this.sockets.delete(one));
      }
    });
    if (this.server.listening) return;
    this.port ??= await findFreePort();
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  /** Closes all connections and refuses new ones. */
  refuse(): void {
    this.refusing = true;
    for (const socket of this.sockets) socket.destroy();
  }

  /** Keeps the connections open but forwards nothing, like a firewall that dropped their state. */
  freeze(): void {
    for (const socket of this.sockets) socket.unpipe();
  }

  async down(): Promise<void> {
    const closed = new Promise((resolve) => this.server?.close(resolve));
    this.refuse();
    await closed;
  }
}

describe('NotificationChannel', () => {
  let database: TestDatabase;
  let line: Line;
  let channel: NotificationChannel;
  let heard: string[];
  let reconnections: number;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  beforeEach(async () => {
    line = new Line(new URL(database.ownerUrl));
    await line.up();
    heard = [];
    reconnections = 0;
    channel = new NotificationChannel(line.url, NAME);
    channel.on('first', (payload) => heard.push(`first:${payload}`));
    channel.on('first', (payload) => heard.push(`again:${payload}`));
    channel.on('Second One', (payload) => heard.push(`second:${payload}`));
    channel.onReconnect(() => reconnections++);
  });

  afterEach(async () => {
    await channel.close();
    await line.down();
  });

  afterAll(() => database.drop());

  const notify = (name: string, payload: string) =>
    database.pool.query('SELECT pg_notify($1, $2)', [name, payload]);

  async function connections(): Promise<number> {
    const { rowCount } = await database.pool.query(
      'SELECT FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()',
      [`${NAME} listen`],
    );
    return rowCount ?? 0;
  }

  it('calls every handler of the channel and no other handler', async () => {
    await channel.start();
    await notify('first', 'a');
    await notify('Second One', '');
    await notify('third', 'x');
    await notify('first', 'end');
    await waitFor(() => heard.includes('again:end'));
    expect(heard).toEqual(['first:a', 'again:a', 'second:', 'first:end', 'again:end']);
    expect(reconnections).toBe(1);
  });

  it('listens again after its connection was terminated, and calls the reconnection handlers only then', async () => {
    await channel.start();
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = $1 AND datname = current_database()`,
      [`${NAME} listen`],
    );
    await notify('first', 'lost');
    await waitFor(() => reconnections === 2);
    await notify('first', 'back');
    await notify('Second One', 'back');
    await waitFor(() => heard.includes('second:back'));
    expect(heard).toEqual(['first:back', 'again:back', 'second:back']);
    await waitFor(async () => (await connections()) === 1);
  });

  it('starts without a server and connects when there is one, once', async () => {
    line.refuse();
    await channel.start();
    expect(reconnections).toBe(0);
    await line.up();
    await waitFor(() => reconnections === 1);
    await notify('first', 'here');
    await waitFor(() => heard.length === 2);
    await waitFor(async () => (await connections()) === 1);
  });

  it('keeps trying while the server is unavailable', async () => {
    await channel.start();
    line.refuse();
    await waitFor(() => line.refusals >= 3);
    await line.up();
    await waitFor(() => reconnections === 2);
    await notify('first', 'here');
    await waitFor(() => heard.length === 2);
  });

  it('notices within seconds that its connection no longer carries data', async () => {
    await channel.start();
    line.freeze();
    await notify('first', 'lost');
    await waitFor(() => reconnections === 2);
    await notify('first', 'here');
    await waitFor(() => heard.length === 2);
    expect(heard).toEqual(['first:here', 'again:here']);
  });

  it('stays closed, also if it is closed while it connects or waits', async () => {
    const connecting = channel.start();
    await channel.close();
    await connecting;
    await waitFor(async () => (await connections()) === 0);
    line.refuse();
    const waiting = new NotificationChannel(line.url, NAME);
    await waiting.start();
    await waiting.close();
    // Longer than the delay before the next attempt.
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(line.refusals).toBe(1);
    expect(reconnections).toBe(0);
  });
});
