import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable, Logger } from '@nestjs/common';
import { inTransaction, SQL_POOL, type SqlPool } from '@inference/database';
import { MEMO_CONFIG, type MemoConfig } from '../config';
import { SourceStore } from '../documents/source-store';
import { discardVersion } from '../index/retirement';
import { ReadingError } from '../extraction/reading-error';
import { type PackedPostings, type Segment } from '../index/segment';
import { type Chunk } from './chunker';
import { beat, claim, type ClaimedVersion, fail, release, serve, type WrittenVersion } from './claims';
import { type IngestionJob } from './ingestion-jobs';
import { DocumentReader } from './reading';
import { VersionWriter } from './version-writer';

/** A document that has ended so many processes is left alone. */
const MOST_ATTEMPTS = 3;
const BEAT_MILLIS = 500;

/** It is somebody else's by now, or its document is gone. */
class LostError extends Error {}

/** Reads a version of a document and has it served. */
@Injectable()
export class Ingestor implements BeforeApplicationShutdown {
  private readonly logger = new Logger(Ingestor.name);
  private readonly reader: DocumentReader;

  constructor(
    @Inject(SQL_POOL) private readonly pool: SqlPool,
    @Inject(MEMO_CONFIG) private readonly config: MemoConfig,
    private readonly sources: SourceStore,
  ) {
    this.reader = new DocumentReader(config);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.reader.close();
  }

  /** Resolves when there is nothing to be done any more; after a fault of ours, which is thrown, the sweep has the job come again. */
  async ingest(job: IngestionJob, stopping: AbortSignal): Promise<void> {
    const claimed = await claim(this.pool, job, randomUUID());
    if (!claimed) return;
    if (claimed.attempts > MOST_ATTEMPTS) {
      this.logger.error(`Version ${claimed.version} of ${claimed.documentId} has ended too many processes.`);
      return fail(this.pool, claimed, 'interrupted', 'Reading the document was interrupted again and again.');
    }
    try {
      const written = await this.read(claimed, stopping);
      if (!(await serve(this.pool, claimed, written, this.config.EMBEDDING_MODEL))) throw new LostError();
    } catch (error) {
      await this.conclude(claimed, error, stopping);
    }
  }

  private async conclude(claimed: ClaimedVersion, error: unknown, stopping: AbortSignal): Promise<void> {
    if (stopping.aborted) return release(this.pool, claimed);
    if (error instanceof ReadingError) {
      this.logger.log(`Version ${claimed.version} of ${claimed.documentId} has failed (${error.code}).`);
      return fail(this.pool, claimed, error.code, error.message);
    }
    if (error instanceof LostError) return this.discardIfGone(claimed);
    this.logger.error(`Version ${claimed.version} of ${claimed.documentId} could not be read.`, error);
    throw error;
  }

  private async read(claimed: ClaimedVersion, stopping: AbortSignal): Promise<WrittenVersion> {
    const lost = new AbortController();
    const writer = new VersionWriter(this.pool, claimed);
    let [processed, total]: [number, number | null] = [0, null];
    const beats = setInterval(() => {
      beat(this.pool, claimed, processed, total).then(
        (isOwn) => isOwn || lost.abort(new LostError()),
        () => undefined,
      );
    }, BEAT_MILLIS);
    try {
      await writer.begin();
      const bytes = await this.sources.readAll(claimed.uploadId);
      const handlers = {
        onChunks: async (chunks: Chunk[]) => {
          if (!(await writer.writeChunks(chunks))) throw new LostError();
        },
        onSegment: (segment: Segment, postings: PackedPostings) => writer.writeSegment(segment, postings),
        onProgress: (done: number, of: number) => {
          [processed, total] = [done, of];
        },
      };
      const source = { bytes, mediaType: claimed.mediaType, title: claimed.title };
      await this.reader.read(source, handlers, AbortSignal.any([stopping, lost.signal]));
      return writer.written;
    } catch (error) {
      throw lost.signal.aborted ? lost.signal.reason : error;
    } finally {
      clearInterval(beats);
    }
  }

  private async discardIfGone({ documentId, version }: ClaimedVersion): Promise<void> {
    await inTransaction(this.pool, async (sql) => {
      const found = 'SELECT FROM memo.document_versions WHERE document_id = $1 AND version = $2';
      if ((await sql.query(found, [documentId, version])).rowCount === 0)
        await discardVersion(sql, documentId, version);
    });
  }
}
