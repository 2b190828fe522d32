import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database } from '@inference/database';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import { OBJECT_STORAGE, type ObjectStorage } from '../../storage/object-storage';
import { STORAGE_CONFIG, type StorageConfig } from '../../storage/storage.config';

/** Packages read by one query. */
const BATCH_ROWS = 20;

/** Expired uploads. Marking them as removed also keeps their own replica from completing them. */
const GIVE_UP = `
  UPDATE catalogue.packages SET removed_at = clock_timestamp()
  WHERE stored_at IS NULL AND removed_at IS NULL AND uploading_until < now()`;
/** Removed packages whose last link has expired. */
const FIND_PURGEABLE = `
  SELECT id FROM catalogue.packages
  WHERE purged_at IS NULL AND removed_at < now() - make_interval(secs => $1) AND NOT (id = ANY ($2))
  ORDER BY removed_at LIMIT ${BATCH_ROWS}`;
const MARK_PURGED = 'UPDATE catalogue.packages SET purged_at = clock_timestamp() WHERE id = $1';
/** A package that was never published has no statistics and does not reserve its version. */
const DELETE_UNPUBLISHED = 'DELETE FROM catalogue.packages WHERE id = $1 AND published_at IS NULL';

/** Deletes the files of packages that were removed or never completed. All replicas may run it at the same time. */
@Injectable()
export class PackageCleanupJob {
  private readonly logger = new Logger(PackageCleanupJob.name);

  constructor(
    private readonly database: Database,
    @Inject(STORAGE_CONFIG) private readonly config: StorageConfig,
    @Inject(OBJECT_STORAGE) private readonly storage: ObjectStorage,
    jobs: BackgroundJobs,
  ) {
    jobs.schedule('delete-removed-packages', EVERY_MINUTE, (stop) => this.run(stop));
  }

  /** Removes all files that are due. Failed ones are retried in the next run. */
  async run(stop?: AbortSignal): Promise<void> {
    await this.database.query(GIVE_UP);
    const failed: string[] = [];
    for (let ids = await this.findPurgeable(failed); ids.length > 0; ids = await this.findPurgeable(failed))
      for (const id of ids) {
        if (stop?.aborted) return;
        if (!(await this.purge(id))) failed.push(id);
      }
  }

  private async findPurgeable(failed: string[]): Promise<string[]> {
    const { linkTtlSeconds } = this.config;
    const { rows } = await this.database.query<{ id: string }>(FIND_PURGEABLE, [linkTtlSeconds, failed]);
    return rows.map(({ id }) => id);
  }

  /** Returns false if the storage failed. */
  private async purge(id: string): Promise<boolean> {
    try {
      await this.storage.remove(id);
    } catch (error) {
      this.logger.warn(error);
      return false;
    }
    await this.database.query(MARK_PURGED, [id]);
    await this.database.query(DELETE_UNPUBLISHED, [id]);
    return true;
  }
}
