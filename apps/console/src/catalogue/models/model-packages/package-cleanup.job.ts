import { Database } from '@inference/database';
import { BackgroundJobs, EVERY_MINUTE } from '@inference/jobs';
import { type ObjectStorage } from '@inference/storage';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { STORAGE_CONFIG, type StorageConfig } from '../../catalogue.config';
import { OBJECT_STORAGE } from '../../storage/object-storage.provider';
import { abandonExpiredUploads } from '../uploads/uploads.repository';
import { deleteUnpublished, listPurgeable, markPurged } from './packages.repository';

/** Packages read by one query. */
const BATCH_ROWS = 20;

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
    await abandonExpiredUploads(this.database);
    const failed: string[] = [];
    for (let ids = await this.findPurgeable(failed); ids.length > 0; ids = await this.findPurgeable(failed))
      for (const id of ids) {
        if (stop?.aborted) return;
        if (!(await this.purge(id))) failed.push(id);
      }
  }

  private findPurgeable(failed: string[]): Promise<string[]> {
    const { linkTtlSeconds } = this.config;
    return listPurgeable(this.database, { linkTtlSeconds, except: failed, limit: BATCH_ROWS });
  }

  /** Returns false if the storage failed. */
  private async purge(id: string): Promise<boolean> {
    try {
      await this.storage.remove(id);
    } catch (error) {
      this.logger.warn(error);
      return false;
    }
    await markPurged(this.database, id);
    await deleteUnpublished(this.database, id);
    return true;
  }
}
