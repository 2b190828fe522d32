import { randomUUID } from 'node:crypto';
import { Database } from '@inference/database';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { SourceFileStore } from '../../documents/source-files/source-file-store';
import { deleteParts } from '../../documents/source-files/source-parts.repository';
import { type IngestionJob } from '../../jobs/document-jobs';
import {
  addBatchJob,
  addEmbeddingJobs,
  addMergeJob,
  addSeparateJobs,
  waitsForBatch,
} from '../../jobs/document-jobs.repository';
import { type PackedPostings, type PackedSegment } from '../../retrieval/index/segment';
import { discardUnpublishedSegments, discardVersion } from '../../retrieval/index/storage/garbage.repository';
import { insertPostings } from '../../retrieval/index/storage/postings.repository';
import { retireVersion } from '../../retrieval/index/storage/retired-chunks.repository';
import { insertSegment, publishSegments } from '../../retrieval/index/storage/segments.repository';
import { deleteAllChunks, insertChunks } from '../../retrieval/search/chunks.repository';
import { VECTORS_CONFIG, type VectorsConfig } from '../../retrieval/vectors/vectors.config';
import { type Chunk } from '../extraction-thread/chunker';
import { ExtractionThread } from '../extraction-thread/extraction-thread';
import { ExtractionError } from '../../tables/extraction-error';
import { isFileKept } from '../../tables/media-type';
import {
  deleteVersion,
  lockDocumentInWorkspace,
  reserveChunkNumbers,
  serveVersion,
} from './publication.repository';
import {
  type ClaimedVersion,
  claimVersion,
  hasVersion,
  lockClaim,
  markVersionFailed,
  markVersionReady,
  type ReadVersion,
  recordHeartbeat,
  unclaimVersion,
} from './version-claims.repository';

/** Writes the chunks and segments of a version. They are invisible until it is published. */
export class VersionWriter {
  readonly written: Omit<IndexedVersion, 'reading'> = { chunks: 0, words: 0, segments: [] };
  private indexed = 0;

  constructor(
    private readonly database: Database,
    private readonly claimed: ClaimedVersion,
  ) {}

  /** Removes what an interrupted attempt has left. */
  async begin(): Promise<void> {
    const { documentId, version } = this.claimed;
    await deleteAllChunks(this.database, documentId, version);
    await discardUnpublishedSegments(this.database, documentId, version);
  }

  /** Returns false if the claim is lost. */
  async writeChunks(chunks: Chunk[]): Promise<boolean> {
    const inserted = await insertChunks(this.database, this.claimed, chunks);
    this.written.chunks += chunks.length;
    return inserted === chunks.length;
  }

  /** Call this in the order of the chunks. */
  async writeSegment(segment: PackedSegment, postings: PackedPostings): Promise<void> {
    const { documentId, version } = this.claimed;
    const id = await insertSegment(this.database, { documentId, version }, segment);
    await insertPostings(this.database, id, postings);
    this.written.segments.push({ id, firstChunk: this.indexed });
    this.written.words += segment.words;
    this.indexed += segment.chunks;
  }
}

/** A document during which this many processes ended is marked as failed. */
const MAX_ATTEMPTS = 3;
/** Specified by ADR 15: twice a second. */
const HEARTBEAT_MS = 500;

/** Another process has claimed the version, or the document was deleted. */
class ClaimLostError extends Error {}

/** Reads a version of a document, indexes it and publishes it. */
@Injectable()
export class DocumentIngestor {
  private readonly logger = new Logger(DocumentIngestor.name);

  constructor(
    private readonly database: Database,
    @Inject(VECTORS_CONFIG) private readonly vectors: VectorsConfig,
    private readonly sources: SourceFileStore,
    private readonly extractionThread: ExtractionThread,
  ) {}

  /**
   * Resolves when nothing is left to do. Rejects for a defect of the service; the recovery then queues the job again.
   */
  async ingest(job: IngestionJob, stopping: AbortSignal): Promise<void> {
    const claimed = await claimVersion(this.database, job, randomUUID());
    if (!claimed) return;
    if (claimed.attempts > MAX_ATTEMPTS) {
      this.logger.error(`Version ${claimed.version} of ${claimed.documentId} has ended too many processes.`);
      return failVersion(
        this.database,
        claimed,
        'interrupted',
        'Reading the document was interrupted again and again.',
      );
    }
    try {
      const written = await this.read(claimed, stopping);
      if (!(await publishVersion(this.database, claimed, written, this.vectors.embeddingModel)))
        throw new ClaimLostError();
    } catch (error) {
      await this.handleFailure(claimed, error, stopping);
    }
  }

  private async handleFailure(claimed: ClaimedVersion, error: unknown, stopping: AbortSignal): Promise<void> {
    if (stopping.aborted) return releaseVersion(this.database, claimed);
    if (error instanceof ExtractionError) {
      this.logger.log(`Version ${claimed.version} of ${claimed.documentId} has failed (${error.code}).`);
      return failVersion(this.database, claimed, error.code, error.message);
    }
    if (error instanceof ClaimLostError) return this.discardIfDeleted(claimed);
    this.logger.error(`Version ${claimed.version} of ${claimed.documentId} could not be read.`, error);
    throw error;
  }

  private async read(claimed: ClaimedVersion, stopping: AbortSignal): Promise<IndexedVersion> {
    const claimLoss = new AbortController();
    const writer = new VersionWriter(this.database, claimed);
    let [processed, total]: [number, number | null] = [0, null];
    const heartbeat = setInterval(() => {
      recordHeartbeat(this.database, claimed, processed, total).then(
        (isOwn) => isOwn || claimLoss.abort(new ClaimLostError()),
        () => undefined,
      );
    }, HEARTBEAT_MS);
    try {
      await writer.begin();
      const bytes = await this.sources.readAll(claimed.uploadId);
      const handlers = {
        onChunks: async (chunks: Chunk[]) => {
          if (!(await writer.writeChunks(chunks))) throw new ClaimLostError();
        },
        onSegment: (segment: PackedSegment, postings: PackedPostings) =>
          writer.writeSegment(segment, postings),
        onProgress: (done: number, of: number) => {
          [processed, total] = [done, of];
        },
      };
      const source = { bytes, mediaType: claimed.mediaType, title: claimed.title };
      const signal = AbortSignal.any([stopping, claimLoss.signal]);
      const { omissions, pageStarts } = await this.extractionThread.extract(source, handlers, signal);
      return { ...writer.written, reading: { omissions, pageStarts } };
    } catch (error) {
      throw claimLoss.signal.aborted ? claimLoss.signal.reason : error;
    } finally {
      clearInterval(heartbeat);
    }
  }

  private async discardIfDeleted(claimed: ClaimedVersion): Promise<void> {
    await this.database.transaction(async (transaction) => {
      if (!(await hasVersion(transaction, claimed)))
        await discardVersion(transaction, claimed.documentId, claimed.version);
    });
  }
}

/** The stored contents of a version that was read to its end. */
interface IndexedVersion extends Omit<ReadVersion, 'firstChunk'> {
  /** Each with the index of its first chunk in the version. */
  segments: { id: bigint; firstChunk: number }[];
}

/** Returns the version to the queue. */
async function releaseVersion(database: Database, claimed: ClaimedVersion): Promise<void> {
  const waiting = { ...claimed, attempts: claimed.attempts - 1 };
  const isReleased = await database.transaction(async (transaction) => {
    const isOwn = await unclaimVersion(transaction, claimed);
    if (isOwn) await addSeparateJobs(transaction, [waiting]);
    return isOwn;
  });
  if (isReleased && waitsForBatch(waiting)) await addBatchJob(database, claimed.workspaceId);
}

/** Marks the version as failed. The previous version stays published. */
async function failVersion(
  database: Database,
  claimed: ClaimedVersion,
  code: string,
  message: string,
): Promise<void> {
  await database.transaction(async (transaction) => {
    if (!(await markVersionFailed(transaction, claimed, code, message))) return;
    await discardVersion(transaction, claimed.documentId, claimed.version);
  });
}

/**
 * Publishes the version in place of the previous one in one transaction. Returns false if the claim is lost.
 * @param embeddingModel embeds the chunks later; undefined if there is none
 */
async function publishVersion(
  database: Database,
  claimed: ClaimedVersion,
  { chunks, words, reading, segments }: IndexedVersion,
  embeddingModel: string | undefined,
): Promise<boolean> {
  const { documentId, version, workspaceId, uploadId, mediaType } = claimed;
  return database.transaction(async (transaction) => {
    const document = await lockDocumentInWorkspace(transaction, claimed);
    if (!document || !(await lockClaim(transaction, claimed))) return false;
    const firstChunk = await reserveChunkNumbers(transaction, workspaceId, chunks);
    await markVersionReady(transaction, claimed, { firstChunk, chunks, words, reading });
    await publishSegments(transaction, workspaceId, firstChunk, segments);
    await serveVersion(transaction, documentId, version);
    const { servingVersion: previous } = document;
    if (previous !== null) {
      await retireVersion(transaction, documentId, previous);
      await deleteVersion(transaction, documentId, previous);
    }
    if (!isFileKept(mediaType)) await deleteParts(transaction, [uploadId]);
    if (embeddingModel !== undefined) await addEmbeddingJobs(transaction, [claimed], embeddingModel);
    // This lock comes last, because all changes in the workspace update the same job row.
    await addMergeJob(transaction, workspaceId);
    return true;
  });
}
