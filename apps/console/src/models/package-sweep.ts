import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { isDatabaseUnavailable, SQL_POOL, type SqlPool } from '@inference/database';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { OBJECT_STORAGE, type ObjectStorage } from '../storage/object-storage';

const SWEEP_MILLIS = 60_000;
const SWEEP_ROWS = 20;

/** Its own host completes nothing any more that was given up. */
const GIVE_UP = `
  UPDATE catalogue.packages SET removed_at = clock_timestamp()
  WHERE stored_at IS NULL AND removed_at IS NULL AND uploading_until < now()`;
/** Links to what was removed go on until they expire. */
const TO_PURGE = `
  SELECT id FROM catalogue.packages
  WHERE purged_at IS NULL AND removed_at < now() - make_interval(secs => $1) AND NOT (id = ANY ($2))
  ORDER BY removed_at LIMIT ${SWEEP_ROWS}`;
const NOTE_PURGE = 'UPDATE catalogue.packages SET purged_at = clock_timestamp() WHERE id = $1';
/** Nobody has counted or published it. */
const FORGET = 'DELETE FROM catalogue.packages WHERE id = $1 AND published_at IS NULL';

/** Deletes the files of packages that were removed or never completed; safe to run from every console at once. */
@Injectable()
export class PackageSweep implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(PackageSweep.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopping = false;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
    @Inject(OBJECT_STORAGE) private readonly storage: ObjectStorage,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => (this.running = this.running.then(() => this.run())), SWEEP_MILLIS);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearInterval(this.timer);
    await this.running;
  }

  async run(): Promise<void> {
    try {
      await this.pool.query(GIVE_UP);
      const failed: string[] = [];
      for (let ids = await this.toPurge(failed); ids.length > 0; ids = await this.toPurge(failed))
        for (const id of ids) {
          if (this.stopping) return;
          if (!(await this.purge(id))) failed.push(id);
        }
    } catch (error) {
      // A database that is away is told of by the health probe.
      if (!isDatabaseUnavailable(error)) this.logger.error(error);
    }
  }

  private async toPurge(failed: string[]): Promise<string[]> {
    const { linkTtlSeconds } = this.config.catalogue;
    const { rows } = await this.pool.query<{ id: string }>(TO_PURGE, [linkTtlSeconds, failed]);
    return rows.map(({ id }) => id);
  }

  /** False when the storage would not: next time, then. */
  private async purge(id: string): Promise<boolean> {
    try {
      await this.storage.remove(id);
    } catch (error) {
      this.logger.warn(error);
      return false;
    }
    await this.pool.query(NOTE_PURGE, [id]);
    await this.pool.query(FORGET, [id]);
    return true;
  }
}
