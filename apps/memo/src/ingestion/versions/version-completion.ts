import { type Database } from '@inference/database';
import { deleteParts } from '../../documents/source-files/source-parts.repository';
import {
  addBatchJob,
  addEmbeddingJobs,
  addMergeJob,
  addSeparateJobs,
  waitsForBatch,
} from '../../jobs/document-jobs.repository';
import { discardVersion } from '../../retrieval/index/storage/garbage.repository';
import { retireVersion } from '../../retrieval/index/storage/retired-chunks.repository';
import { publishSegments } from '../../retrieval/index/storage/segments.repository';
import {
  deleteVersion,
  lockDocumentInWorkspace,
  reserveChunkNumbers,
  serveVersion,
} from './publication.repository';
import {
  type ClaimedVersion,
  lockClaim,
  markVersionFailed,
  markVersionReady,
  unclaimVersion,
} from './version-claims.repository';

/** The stored contents of a version that was read to its end. */
export interface IndexedVersion {
  chunks: number;
  words: number;
  /** Each with the index of its first chunk in the version. */
  segments: { id: bigint; firstChunk: number }[];
}

/** Returns the version to the queue. */
export async function releaseVersion(database: Database, claimed: ClaimedVersion): Promise<void> {
  const waiting = { ...claimed, attempts: claimed.attempts - 1 };
  const isReleased = await database.transaction(async (transaction) => {
    const isOwn = await unclaimVersion(transaction, claimed);
    if (isOwn) await addSeparateJobs(transaction, [waiting]);
    return isOwn;
  });
  if (isReleased && waitsForBatch(waiting)) await addBatchJob(database, claimed.workspaceId);
}

/** Marks the version as failed. The previous version stays published. */
export async function failVersion(
  database: Database,
  claimed: ClaimedVersion,
  code: string,
  message: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    if (!(await markVersionFailed(transaction, claimed, code, message))) return;
    await deleteParts(transaction, [claimed.uploadId]);
    await discardVersion(transaction, claimed.documentId, claimed.version);
  });
}

/**
 * Publishes the version in place of the previous one in one transaction. Returns false if the claim is lost.
 * @param embeddingModel embeds the chunks later; undefined if there is none
 */
export async function publishVersion(
  database: Database,
  claimed: ClaimedVersion,
  { chunks, words, segments }: IndexedVersion,
  embeddingModel: string | undefined,
): Promise<boolean> {
  const { documentId, version, workspaceId, uploadId } = claimed;
  return database.transaction(async (transaction) => {
    const document = await lockDocumentInWorkspace(transaction, claimed);
    if (!document || !(await lockClaim(transaction, claimed))) return false;
    const firstChunk = await reserveChunkNumbers(transaction, workspaceId, chunks);
    await markVersionReady(transaction, claimed, { firstChunk, chunks, words });
    await publishSegments(transaction, workspaceId, firstChunk, segments);
    await serveVersion(transaction, documentId, version);
    const { servingVersion: previous } = document;
    if (previous !== null) {
      await retireVersion(transaction, documentId, previous);
      await deleteVersion(transaction, documentId, previous);
    }
    await deleteParts(transaction, [uploadId]);
    if (embeddingModel !== undefined) await addEmbeddingJobs(transaction, [claimed], embeddingModel);
    // This lock comes last, because all changes in the workspace update the same job row.
    await addMergeJob(transaction, workspaceId);
    return true;
  });
}
