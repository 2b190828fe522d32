import { type Database, firstIdAt } from '@inference/database';
import {
  addEmbeddingJobs,
  addGarbageCollectionJob,
  addIngestionJob,
  deleteOrphanedJobs,
} from '../../jobs/document-jobs.repository';
import { discardLostVersions, hasGarbage } from '../../retrieval/index/storage/garbage.repository';
import { deleteOldInvitations } from '../../workspaces/invitations/invitations.repository';
import { deleteUnusedParts, findAbandonedVersions, findUnembeddedVersions } from './recovery.repository';

/**
 * Parts of an upload that is not complete after this time are deleted. It is longer than any upload that makes
 * progress.
 */
const MAX_UPLOAD_DURATION_MS = 24 * 3_600_000;

/** Versions that are found by one statement. A version with a job is not found again. */
const ABANDONED_PAGE = 100;

/** Restores what killed processes left behind: queues lost jobs again and discards unused data. */
export async function recoverLostWork(database: Database, embeddingModel: string | undefined): Promise<void> {
  await queueAbandonedVersions(database);
  await deleteUnusedParts(database, firstIdAt('up', Date.now() - MAX_UPLOAD_DURATION_MS));
  await discardLostVersions(database);
  await deleteOrphanedJobs(database);
  await deleteOldInvitations(database);
  if (await hasGarbage(database)) await addGarbageCollectionJob(database);
  if (embeddingModel === undefined) return;
  await addEmbeddingJobs(database, await findUnembeddedVersions(database, embeddingModel), embeddingModel);
}

async function queueAbandonedVersions(database: Database): Promise<void> {
  let abandoned;
  do {
    abandoned = await findAbandonedVersions(database, ABANDONED_PAGE);
    for (const version of abandoned) await addIngestionJob(database, version);
  } while (abandoned.length === ABANDONED_PAGE);
}
