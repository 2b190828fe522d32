import { Database, NotificationChannel } from '@inference/database';
import { Global, Injectable, Logger, Module, type OnModuleDestroy } from '@nestjs/common';
import { type Caller } from './caller';
import { listSuspendedLately } from './credentials.repository';

/** How often a process without notifications asks the database. Chosen: streams have to end within five seconds. */
const POLL_MILLIS = 1_000;

/** What was suspended. */
export type Suspended = 'account' | 'api_key';

interface Watch {
  accountId: string;
  apiKeyId: string | undefined;
  end: (suspended: Suspended) => void;
}

/**
 * Ends what runs for an account or API key when staff suspends it. The guard refuses new requests; this is for streams and long calls. A
 * process without notifications reads every second what was suspended lately, and so does one whose read after a reconnection failed.
 */
@Injectable()
export class Suspensions implements OnModuleDestroy {
  private readonly logger = new Logger(Suspensions.name);
  private readonly watches = new Set<Watch>();
  /** `account:<id>` and `api_key:<id>`, as the notifications name them. */
  private suspended = new Set<string>();
  private notifications = 0;
  /** Whether the last read failed: what happened while there were no notifications is still unknown. */
  private isReadMissing = false;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly database: Database,
    channel: NotificationChannel,
  ) {
    channel.on('suspensions', (payload) => this.take(payload));
    channel.onReconnect(() => void this.refresh());
    this.timer = setInterval(() => {
      if (this.watches.size > 0 && (this.isReadMissing || !channel.isConnected)) void this.refresh();
    }, POLL_MILLIS).unref();
  }

  /**
   * Calls `end` once if the caller's account or key is suspended, also if that has happened since its credential was checked. Returns what
   * ends the watch.
   */
  watch({ accountId, apiKey }: Pick<Caller, 'accountId' | 'apiKey'>, end: Watch['end']): () => void {
    const watch = { accountId, apiKeyId: apiKey?.id, end };
    this.watches.add(watch);
    // The caller has to hold the result before `end` runs.
    if (this.suspended.size > 0) setImmediate(() => this.endIfSuspended(watch));
    return () => this.watches.delete(watch);
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private take(payload: string): void {
    this.notifications += 1;
    const subject = payload.slice(0, payload.lastIndexOf(':'));
    if (!payload.endsWith(':t')) {
      this.suspended.delete(subject);
      return;
    }
    this.suspended.add(subject);
    this.endSuspended();
  }

  private async refresh(): Promise<void> {
    this.isReadMissing = false;
    try {
      let before: number;
      do {
        before = this.notifications;
        this.suspended = new Set(await listSuspendedLately(this.database));
      } while (before !== this.notifications);
      this.endSuspended();
    } catch (error) {
      this.isReadMissing = true;
      this.logger.debug(`Suspensions could not be read: ${(error as Error).message}`);
    }
  }

  private endSuspended(): void {
    if (this.suspended.size > 0) for (const watch of [...this.watches]) this.endIfSuspended(watch);
  }

  private endIfSuspended(watch: Watch): void {
    const { accountId, apiKeyId, end } = watch;
    if (this.suspended.has(`account:${accountId}`)) {
      if (this.watches.delete(watch)) end('account');
    } else if (apiKeyId !== undefined && this.suspended.has(`api_key:${apiKeyId}`)) {
      if (this.watches.delete(watch)) end('api_key');
    }
  }
}

/** Provides Suspensions to an app that streams. */
@Global()
@Module({ providers: [Suspensions], exports: [Suspensions] })
export class SuspensionsModule {}
