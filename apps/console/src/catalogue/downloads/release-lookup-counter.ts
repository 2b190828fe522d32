import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Database, isDatabaseUnavailable } from '@inference/database';
import { type Component } from '../components/component';

/** A crash loses the counts of one interval. They are statistics, so twice is acceptable; half doubles the writes. */
const FLUSH_INTERVAL_MILLIS = 5_000;

/** Ordered, so that two replicas lock the rows in the same order and cannot deadlock. */
const ADD = `
  INSERT INTO catalogue.release_lookups AS known (component, tag_name, day, lookups)
  SELECT * FROM unnest($1::text[], $2::text[], $3::date[], $4::bigint[]) AS added (component, tag_name, day, lookups)
  ORDER BY component, tag_name, day
  ON CONFLICT (component, tag_name, day) DO UPDATE SET lookups = known.lookups + excluded.lookups`;

/** How often a release was sent as the latest one of its component; 304 responses do not count. */
interface LookupCount {
  component: Component;
  tagName: string;
  /** UTC date, such as 2026-01-31. */
  day: string;
  lookups: number;
}

/**
 * Counts lookups in memory and writes them every few seconds: otherwise all requests for a release would wait for the same
 * row lock. A process that is killed loses its counts since the last write.
 */
@Injectable()
export class ReleaseLookupCounter implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ReleaseLookupCounter.name);
  private counts = new Map<string, LookupCount>();
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
    this.increment({ component, tagName, day, lookups: 1 });
  }

  /** Resolves when the earlier counts are written, or the attempt has failed. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.flushNow());
    return this.flushing;
  }

  private increment(added: LookupCount): void {
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
      await this.database.query(ADD, [
        counts.map(({ component }) => component),
        counts.map(({ tagName }) => tagName),
        counts.map(({ day }) => day),
        counts.map(({ lookups }) => lookups),
      ]);
    } catch (error) {
      counts.forEach((count) => this.increment(count));
      // The health probe reports an unreachable database.
      if (!isDatabaseUnavailable(error)) this.logger.error(error);
    }
  }
}
