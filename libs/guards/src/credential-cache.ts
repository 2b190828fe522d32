import { type NotificationChannel } from '@inference/database';
import { UnavailableException } from '@inference/http';
import { type Caller } from './caller';
import { type KnownCaller } from './known-caller';

/** How long a deleted key stays valid if its notification is lost. */
const CACHE_MILLIS = 3_000;

/**
 * Caches what stands for callers. NOTIFY `credentials` and `suspensions` evict changed accounts, keys and sessions; other entries expire. A
 * process that has heard no notifications for five seconds throws 503 instead, because it would not learn that somebody is shut out.
 */
export class CallerCache<Value> {
  private readonly cache: CredentialCache<Value>;

  /** @param ttlMillis 0 looks up each time */
  constructor(
    private readonly channel: NotificationChannel,
    callerIn: (value: Value) => Caller,
    private readonly ttlMillis: number,
  ) {
    this.cache = new CredentialCache<Value>(ttlMillis);
    const evict = (payload: string) => {
      const [kind, id] = payload.split(':');
      if (kind === 'api_key') this.cache.forget((value) => callerIn(value).apiKey?.id === id);
      if (kind === 'account') this.cache.forget((value) => callerIn(value).accountId === id);
      if (kind === 'session') this.cache.forget((value) => callerIn(value).sessionId === id);
    };
    channel.on('credentials', evict);
    channel.on('suspensions', evict);
    channel.onReconnect(() => this.cache.forget(() => true));
  }

  get(key: string, lookUp: () => Promise<Value | null>): Promise<Value | null> {
    if (this.channel.isSilent && this.ttlMillis > 0) return Promise.reject(unheard());
    return this.cache.get(key, lookUp);
  }
}

/** A cache of what is known of accounts and API keys. */
export const callerCache = (channel: NotificationChannel): CallerCache<KnownCaller> =>
  new CallerCache(channel, ({ caller }: KnownCaller) => caller, CACHE_MILLIS);

const unheard = () =>
  new UnavailableException('credentials cannot be checked now, try again', 'database_unavailable');

interface Entry<T> {
  value: T;
  /** On the clock of performance.now(). */
  expiresAtMillis: number;
}

/**
 * Caches lookups for a short time. A value whose lookup was running during an eviction is returned but not cached, since it
 * may be the state before the change.
 */
export class CredentialCache<T> {
  private readonly entries = new Map<string, Entry<T>>();
  private readonly underWay = new Map<string, Promise<T | null>>();
  private generation = 0;

  constructor(
    private readonly ttlMillis: number,
    private readonly maxEntries = 20_000,
  ) {}

  async get(key: string, lookUp: () => Promise<T | null>): Promise<T | null> {
    if (this.ttlMillis === 0) return lookUp();
    const entry = this.entries.get(key);
    if (entry && entry.expiresAtMillis > performance.now()) return entry.value;
    const running = this.underWay.get(key) ?? this.load(key, lookUp);
    return running;
  }

  forget(matches: (value: T) => boolean): void {
    this.generation++;
    this.underWay.clear();
    for (const [key, { value }] of this.entries) if (matches(value)) this.entries.delete(key);
  }

  private load(key: string, lookUp: () => Promise<T | null>): Promise<T | null> {
    const generation = this.generation;
    // The value may be as old as the start of its lookup.
    const expiresAtMillis = performance.now() + this.ttlMillis;
    const running = lookUp()
      .then((value) => {
        this.entries.delete(key);
        if (value !== null && generation === this.generation) this.keep(key, { value, expiresAtMillis });
        return value;
      })
      .finally(() => {
        if (this.underWay.get(key) === running) this.underWay.delete(key);
      });
    this.underWay.set(key, running);
    return running;
  }

  private keep(key: string, entry: Entry<T>): void {
    if (this.entries.size >= this.maxEntries) {
      const oldest = this.entries.keys().next().value;
      if (oldest !== undefined) this.entries.delete(oldest);
    }
    this.entries.set(key, entry);
  }
}
