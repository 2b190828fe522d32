import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

export type NotificationHandler = (payload: string) => void;

const RECONNECT_MILLIS = 500;
/** Chosen: three probes within the time for which a silent channel is trusted. */
const PROBE_MILLIS = 1_500;
/** How long after its last sign of life what a channel has not told counts as not having happened. Specified: a suspended account. */
const TRUST_MILLIS = 5_000;
/** A server that hangs does not confirm the end of a connection. */
const CLOSE_LIMIT_MILLIS = 1_000;

/**
 * Listens for notifications (LISTEN) on a connection of its own. Reconnects when the connection breaks, and probes it, since a
 * silent network failure is not noticed otherwise. Notifications are lost while it is down, so `onReconnect` handlers should
 * clear their caches, and nobody should trust a cache while the channel `isSilent`.
 */
export class NotificationChannel {
  private client: Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private connected = false;
  private silent = false;
  private trustTimer: NodeJS.Timeout | undefined;
  private signsOfLife = 0;
  private readonly handlers = new Map<string, NotificationHandler[]>();
  private readonly reconnectHandlers: (() => void)[] = [];

  constructor(
    private readonly url: string,
    private readonly applicationName: string,
  ) {}

  /** Registers a handler of a channel; must be called before `start`. */
  on(channel: string, handler: NotificationHandler): void {
    this.handlers.set(channel, [...(this.handlers.get(channel) ?? []), handler]);
  }

  /** Registers a handler that runs after each connection is established. */
  onReconnect(handler: () => void): void {
    this.reconnectHandlers.push(handler);
  }

  /** Whether notifications arrive now, as far as is known. */
  get isConnected(): boolean {
    return this.connected;
  }

  /** Whether the server has not been heard for five seconds. False before `start`. */
  get isSilent(): boolean {
    return this.silent;
  }

  /** Resolves after the first attempt, whether or not it succeeded. */
  async start(): Promise<void> {
    this.noteSignOfLife();
    await this.connect();
  }

  async close(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    clearTimeout(this.trustTimer);
    const limit = sleep(CLOSE_LIMIT_MILLIS, undefined, { ref: false });
    await Promise.race([limit, this.client?.end().catch(() => undefined)]);
  }

  private async connect(): Promise<void> {
    if (this.closed) return;
    const client = new Client({
      connectionString: this.url,
      application_name: `${this.applicationName} listen`,
      connectionTimeoutMillis: 5_000,
      query_timeout: 5_000,
      keepAlive: true,
    });
    this.client = client;
    let lost = false;
    const onLost = () => {
      if (lost) return;
      lost = true;
      this.connected = false;
      clearTimeout(this.timer);
      client.end().catch(() => undefined);
      if (!this.closed) this.timer = setTimeout(() => void this.connect(), RECONNECT_MILLIS);
    };
    client.on('error', onLost);
    client.on('end', onLost);
    client.on('notification', ({ channel, payload }) => {
      for (const handler of this.handlers.get(channel) ?? []) handler(payload ?? '');
    });
    // A client that is closed while it connects never settles its promise.
    const ended = new Promise<never>((_resolve, reject) => client.once('end', reject));
    ended.catch(() => undefined);
    try {
      await Promise.race([client.connect(), ended]);
      for (const channel of this.handlers.keys())
        await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
      this.connected = true;
      this.noteSignOfLife();
      for (const handler of this.reconnectHandlers) handler();
      this.scheduleProbe(client, onLost);
    } catch {
      onLost();
    }
  }

  private scheduleProbe(client: Client, onLost: () => void): void {
    if (this.closed) return;
    this.timer = setTimeout(() => {
      client.query('SELECT 1').then(() => {
        this.noteSignOfLife();
        this.scheduleProbe(client, onLost);
      }, onLost);
    }, PROBE_MILLIS);
  }

  private noteSignOfLife(): void {
    if (this.closed) return;
    this.silent = false;
    const sign = ++this.signsOfLife;
    clearTimeout(this.trustTimer);
    // After a pause of the process the timer comes before the answers that have arrived meanwhile.
    const expire = () => setImmediate(() => (this.silent = sign === this.signsOfLife && !this.closed));
    this.trustTimer = setTimeout(expire, TRUST_MILLIS).unref();
  }
}
