import { Database, isDatabaseUnavailable } from '@inference/database';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Component } from '../component';
import { type ReleaseLookup } from './download.entity';
import { addReleaseLookups } from './downloads.repository';

/** A crash loses the counts of one interval. They are statistics, so twice is acceptable; half doubles the writes. */
const FLUSH_INTERVAL_MILLIS = 5_000;

/**
 * Counts lookups in memory and writes them every few seconds: otherwise all requests for a release would wait for the same
 * row lock. A process that is killed loses its counts since the last write.
 */
@Injectable()
export class ReleaseLookupCounter implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ReleaseLookupCounter.name);
  private counts = new Map<string, ReleaseLookup>();
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MILLIS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  add(component: Component, tagName: string): void {
    const day = new Date().toISOString().slice(0, 10);
    this.increment({ component, tagName, day, lookups: 1n });
  }

  /** Resolves when the earlier counts are written, or the attempt has failed. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.flushNow());
    return this.flushing;
  }

  private increment(added: ReleaseLookup): void {
    const key = `${added.component} ${added.tagName} ${added.day}`;
    const existing = this.counts.get(key);
    if (existing) existing.lookups += added.lookups;
    else this.counts.set(key, added);
  }

  private async flushNow(): Promise<void> {
    const counts = [...this.counts.values()];
    if (counts.length === 0) return;
    this.counts = new Map();
    try {
      await addReleaseLookups(this.database, counts);
    } catch (error) {
      counts.forEach((count) => this.increment(count));
      // The health probe reports an unreachable database.
      if (!isDatabaseUnavailable(error)) this.logger.error(error);
    }
  }
}
