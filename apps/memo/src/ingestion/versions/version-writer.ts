import { type Database } from '@inference/database';
import { type PackedPostings, type PackedSegment } from '../../retrieval/index/segment';
import { discardUnpublishedSegments } from '../../retrieval/index/storage/garbage.repository';
import { insertPostings } from '../../retrieval/index/storage/postings.repository';
import { insertSegment } from '../../retrieval/index/storage/segments.repository';
import { deleteAllChunks, insertChunks } from '../../retrieval/search/chunks.repository';
import { type Chunk } from '../extraction-thread/chunker';
import { type ClaimedVersion } from './version-claims.repository';
import { type IndexedVersion } from './version-completion';

/** Writes the chunks and segments of a version. They are invisible until it is published. */
export class VersionWriter {
  readonly written: IndexedVersion = { chunks: 0, words: 0, segments: [] };
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
