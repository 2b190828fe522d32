import { type NotificationChannel } from '@inference/database';
import { type KnownCaller } from './known-caller';

/** How long a deleted key stays valid if its notification is lost. */
const CACHE_MILLIS = 3_000;

/** Creates a cache of callers. NOTIFY `credentials` evicts changed accounts and keys; other entries expire after three seconds. */
export function callerCache(channel: NotificationChannel): CredentialCache<KnownCaller> {
  const cache = new CredentialCache<KnownCaller>(CACHE_MILLIS);
  channel.on('credentials', (payload) => {
    const [kind, id] = payload.split(':');
    if (kind === 'api_key') cache.forget(({ caller }) => caller.apiKey?.id === id);
    if (kind === 'account') cache.forget(({ caller }) => caller.accountId === id);
  });
  channel.onReconnect(() => cache.forget(() => true));
  return cache;
}

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
