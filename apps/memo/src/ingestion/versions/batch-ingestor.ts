import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Database } from '@inference/database';
import { SourceFileStore } from '../../documents/source-files/source-file-store';
import { type BatchJob } from '../../jobs/document-jobs';
import { addBatchJob } from '../../jobs/document-jobs.repository';
import { VECTORS_CONFIG, type VectorsConfig } from '../../retrieval/vectors/vectors.config';
import { ExtractionThread } from '../extraction-thread/extraction-thread';
import { claimBatch, isFullBatch, renewClaims } from './batch-claims.repository';
import { publishBatch, releaseBatch } from './batch-publication';
import { type ClaimedVersion } from './version-claims.repository';

/**
 * A batch that fails is repeated in parts of this size. With twice as many a document that uses up the time leaves twice as many
 * to be read alone; half doubles the parts that may take that time.
 */
const RETRIED_DOCUMENTS = 64;

/** Reads the short documents that wait in a workspace together, indexes them in one segment and publishes them. */
@Injectable()
export class BatchIngestor {
  private readonly logger = new Logger(BatchIngestor.name);

  constructor(
    private readonly database: Database,
    @Inject(VECTORS_CONFIG) private readonly vectors: VectorsConfig,
    private readonly sources: SourceFileStore,
    private readonly extractionThread: ExtractionThread,
  ) {}

  /**
   * Resolves when the batch is published or its documents are back in the queue. If that fails too, the recovery queues
   * them again.
   */
  async ingest({ workspace_id: workspaceId }: BatchJob, stopping: AbortSignal): Promise<void> {
    const claimed = await claimBatch(this.database, workspaceId, randomUUID());
    if (claimed.length === 0) return;
    // The job comes after those of other workspaces. Another process may take it now.
    if (isFullBatch(claimed)) await addBatchJob(this.database, workspaceId);
    try {
      await this.readAndPublish(claimed, stopping);
    } catch (error) {
      await this.handleFailure(claimed, error as Error, stopping);
    }
  }

  private async handleFailure(claimed: ClaimedVersion[], error: Error, stopping: AbortSignal): Promise<void> {
    if (stopping.aborted) return releaseBatch(this.database, claimed, 0);
    const parts = Math.ceil(claimed.length / RETRIED_DOCUMENTS);
    this.logger.warn(
      `A batch of ${claimed.length} documents is read ${parts > 1 ? `in ${parts} parts` : 'one by one'}: ${error.message}`,
    );
    if (parts > 1) await this.retryInParts(claimed, stopping);
    else await releaseBatch(this.database, claimed, 1);
  }

  private async retryInParts(claimed: ClaimedVersion[], stopping: AbortSignal): Promise<void> {
    for (let from = 0; from < claimed.length; from += RETRIED_DOCUMENTS) {
      const rest = claimed.slice(from);
      if (stopping.aborted) return releaseBatch(this.database, rest, 0);
      await renewClaims(this.database, rest);
      const part = rest.slice(0, RETRIED_DOCUMENTS);
      try {
        await this.readAndPublish(part, stopping);
      } catch (error) {
        await this.handleFailure(part, error as Error, stopping);
      }
    }
  }

  private async readAndPublish(claimed: ClaimedVersion[], stopping: AbortSignal): Promise<void> {
    const files = await this.sources.readFiles(claimed.map(({ uploadId }) => uploadId));
    // An empty file has no parts. Neither has the file of a document that was deleted meanwhile, whose claim is lost.
    const sources = claimed.map(({ uploadId, mediaType, title }) => ({
      bytes: files.get(uploadId) ?? Buffer.alloc(0),
      mediaType,
      title,
    }));
    const batch = await this.extractionThread.extractBatch(sources, stopping);
    await publishBatch(this.database, claimed, batch, this.vectors.embeddingModel);
  }
}
