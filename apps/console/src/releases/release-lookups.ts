import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { isDatabaseUnavailable, SQL_POOL, type SqlPool } from '@inference/database';
import { type Component } from './component';

const WRITE_EVERY_MILLIS = 5_000;

/** In one order everywhere, so that two consoles never wait for each other. */
const ADD = `
  INSERT INTO catalogue.release_lookups AS known (component, tag_name, day, lookups)
  SELECT * FROM unnest($1::text[], $2::text[], $3::date[], $4::bigint[]) AS added (component, tag_name, day, lookups)
  ORDER BY component, tag_name, day
  ON CONFLICT (component, tag_name, day) DO UPDATE SET lookups = known.lookups + excluded.lookups`;

/** How often a release was sent as the latest one of its component; that it is still the same does not count. */
interface LookupCount {
  component: Component;
  tagName: string;
  /** In UTC, such as 2026-01-31. */
  day: string;
  lookups: number;
}

/**
 * Counts in memory and writes every few seconds: everybody's requests for one release would otherwise queue for one row.
 * A console that is killed loses what it has counted since it last wrote.
 */
@Injectable()
export class ReleaseLookups implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(ReleaseLookups.name);
  private counts = new Map<string, LookupCount>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(@Inject(SQL_POOL) private readonly pool: SqlPool) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.write(), WRITE_EVERY_MILLIS);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
  }

  add(component: Component, tagName: string): void {
    const day = new Date().toISOString().slice(0, 10);
    this.note({ component, tagName, day, lookups: 1 });
  }

  /** Resolves when all that was counted before is written, or could not be. */
  write(): Promise<void> {
    this.writing = this.writing.then(() => this.writeNow());
    return this.writing;
  }

  private note(added: LookupCount): void {
    const key = `${added.component} ${added.tagName} ${added.day}`;
    const known = this.counts.get(key);
    if (known) known.lookups += added.lookups;
    else this.counts.set(key, added);
  }

  private async writeNow(): Promise<void> {
    const counts = [...this.counts.values()];
    if (counts.length === 0) return;
    this.counts = new Map();
    try {
      await this.pool.query(ADD, [
        counts.map(({ component }) => component),
        counts.map(({ tagName }) => tagName),
        counts.map(({ day }) => day),
        counts.map(({ lookups }) => lookups),
      ]);
    } catch (error) {
      counts.forEach((count) => this.note(count));
      // A database that is away is told of by the health probe.
      if (!isDatabaseUnavailable(error)) this.logger.error(error);
    }
  }
}
