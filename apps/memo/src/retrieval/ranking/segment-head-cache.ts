import { type Sql } from '@inference/database';
import { readHead, type SegmentHead } from '../index/segment';

/** Size of the cache. A chunk takes ten bytes. */
const MAX_BYTES = 64 * 1_048_576;
const BYTES_PER_CHUNK = 10;
const BYTES_PER_HEAD = 500;

const READ = `
  SELECT id::float8 AS id, first_chunk::float8 AS first, chunks, numbers, lengths FROM memo.segments
  WHERE id = ANY($1::bigint[])`;

interface HeadRow {
  id: number;
  first: number;
  chunks: number;
  numbers: Buffer;
  lengths: Buffer;
}

/** A least-recently-used cache. Segments are immutable, so entries never expire. */
export class SegmentHeadCache {
  private readonly heads = new Map<number, SegmentHead>();
  private bytes = 0;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** The heads by segment id; null if a segment was merged away meanwhile. */
  async find(sql: Sql, ids: number[]): Promise<Map<number, SegmentHead> | null> {
    const found = new Map<number, SegmentHead>();
    const missing: number[] = [];
    for (const id of ids) {
      const head = this.heads.get(id);
      if (head) found.set(id, this.keep(id, head));
      else missing.push(id);
    }
    if (missing.length > 0) {
      const { rows } = await sql.query<HeadRow>(READ, [missing]);
      for (const { id, first, chunks, numbers, lengths } of rows)
        found.set(id, this.keep(id, readHead(first, chunks, numbers, lengths)));
    }
    return found.size === ids.length ? found : null;
  }

  private keep(id: number, head: SegmentHead): SegmentHead {
    if (!this.heads.delete(id)) this.bytes += sizeOf(head);
    this.heads.set(id, head);
    for (const [oldest, other] of this.heads) {
      if (this.bytes <= this.maxBytes || oldest === id) break;
      this.heads.delete(oldest);
      this.bytes -= sizeOf(other);
    }
    return head;
  }
}

const sizeOf = ({ chunks }: SegmentHead) => chunks * BYTES_PER_CHUNK + BYTES_PER_HEAD;
