import { type Database } from '@inference/database';
import { type PackedPostings, type Segment } from '../../retrieval/index/segment';
import { insertPostings, insertSegment } from '../../retrieval/index/segment-store';
import { type Chunk } from '../extraction-thread/chunker';
import { type ClaimedVersion, type IndexedVersion } from './version-claim';

const DELETE_CHUNKS = 'DELETE FROM memo.chunks WHERE document_id = $1 AND version = $2';
const DISCARD_SEGMENTS = `
  WITH gone AS (DELETE FROM memo.segments WHERE document_id = $1 AND version = $2 AND workspace_id IS NULL RETURNING id)
  INSERT INTO memo.garbage (segment_id) SELECT id FROM gone`;
/**
 * Inserts only while the claim holds. The share lock prevents a concurrent deletion of the version. Without it, chunks
 * that are inserted after the deletion of the earlier chunks would remain. If another process takes the version over
 * and inserts the same chunks, one of the two inserts fails. A stronger lock would block the heartbeat.
 */
const INSERT_CHUNKS = {
  name: 'chunks-insert',
  text: `
    INSERT INTO memo.chunks (document_id, version, n, start_at, lead, text)
    SELECT $1, $2, u.* FROM unnest($4::integer[], $5::integer[], $6::text[], $7::text[]) AS u
    WHERE EXISTS (SELECT FROM memo.document_versions v
      WHERE v.document_id = $1 AND v.version = $2 AND v.status = 'processing' AND v.runner = $3 FOR KEY SHARE)`,
};

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
    await this.database.query(DELETE_CHUNKS, [documentId, version]);
    await this.database.query(DISCARD_SEGMENTS, [documentId, version]);
  }

  /** Returns false if the claim is lost. */
  async writeChunks(chunks: Chunk[]): Promise<boolean> {
    const { documentId, version, runner } = this.claimed;
    const { rowCount } = await this.database.query({
      ...INSERT_CHUNKS,
      values: [
        ...[documentId, version, runner],
        chunks.map(({ n }) => n),
        chunks.map(({ start }) => start),
        chunks.map(({ lead }) => lead),
        chunks.map(({ text }) => text),
      ],
    });
    this.written.chunks += chunks.length;
    return rowCount === chunks.length;
  }

  /** Call this in the order of the chunks. */
  async writeSegment(segment: Segment, postings: PackedPostings): Promise<void> {
    const { documentId, version } = this.claimed;
    const id = await insertSegment(this.database, { documentId, version }, segment);
    await insertPostings(this.database, id, postings);
    this.written.segments.push({ id, firstChunk: this.indexed });
    this.written.words += segment.words;
    this.indexed += segment.chunks;
  }
}
