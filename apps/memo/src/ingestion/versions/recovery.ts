import { type Database, firstIdAt } from '@inference/database';
import {
  addEmbeddingJob,
  addGarbageCollectionJob,
  addIngestionJob,
  deleteOrphanedJobs,
} from '../../jobs/document-jobs.repository';
import { discardLostVersions, hasGarbage } from '../../retrieval/index/storage/garbage.repository';
import { deleteUnusedParts, findAbandonedVersions, findUnembeddedVersions } from './recovery.repository';

/**
 * Parts of an upload that is not complete after this time are deleted. It is longer than any upload that makes
 * progress.
 */
const MAX_UPLOAD_DURATION_MS = 24 * 3_600_000;

/** Restores what killed processes left behind: queues lost jobs again and discards unused data. */
export async function recoverLostWork(database: Database, embeddingModel: string | undefined): Promise<void> {
  for (const abandoned of await findAbandonedVersions(database)) await addIngestionJob(database, abandoned);
  await deleteUnusedParts(database, firstIdAt('up', Date.now() - MAX_UPLOAD_DURATION_MS));
  await discardLostVersions(database);
  await deleteOrphanedJobs(database);
  if (await hasGarbage(database)) await addGarbageCollectionJob(database);
  if (embeddingModel === undefined) return;
  for (const unembedded of await findUnembeddedVersions(database, embeddingModel))
    await addEmbeddingJob(database, unembedded, embeddingModel);
}
