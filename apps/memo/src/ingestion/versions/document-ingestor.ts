import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database } from '@inference/database';
import { SourceFileStore } from '../../documents/source-files/source-file-store';
import { discardVersion } from '../../retrieval/index/storage/garbage.repository';
import { ExtractionError } from '../extraction/text/extraction-error';
import { type PackedPostings, type PackedSegment } from '../../retrieval/index/segment';
import { type Chunk } from '../extraction-thread/chunker';
import { claimVersion, type ClaimedVersion, hasVersion, recordHeartbeat } from './version-claims.repository';
import { failVersion, type IndexedVersion, publishVersion, releaseVersion } from './version-completion';
import { type IngestionJob } from '../../jobs/document-jobs';
import { VECTORS_CONFIG, type VectorsConfig } from '../../retrieval/vectors/vectors.config';
import { ExtractionThread } from '../extraction-thread/extraction-thread';
import { VersionWriter } from './version-writer';

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
      await this.extractionThread.extract(source, handlers, AbortSignal.any([stopping, claimLoss.signal]));
      return writer.written;
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
