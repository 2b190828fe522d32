import { type Executor } from '@inference/database';
import { readHead, type SegmentHead } from '../index/segment';
import { readSegmentHeads } from '../index/storage/segments.repository';

/** Size of the cache. A chunk takes ten bytes. */
const MAX_BYTES = 64 * 1_048_576;
const BYTES_PER_CHUNK = 10;
const BYTES_PER_HEAD = 500;

/** A least-recently-used cache. Segments are immutable, so entries never expire. */
export class SegmentHeadCache {
  private readonly heads = new Map<number, SegmentHead>();
  private bytes = 0;

  constructor(private readonly maxBytes = MAX_BYTES) {}

  /** The heads by segment id; null if a segment was merged away meanwhile. */
  async find(executor: Executor, ids: number[]): Promise<Map<number, SegmentHead> | null> {
    const found = new Map<number, SegmentHead>();
    const missing: number[] = [];
    for (const id of ids) {
      const head = this.heads.get(id);
      if (head) found.set(id, this.keep(id, head));
      else missing.push(id);
    }
    if (missing.length > 0) {
      for (const { id, firstChunk, chunks, numbers, lengths } of await readSegmentHeads(executor, missing)) {
        const head = readHead(Number(firstChunk), chunks, numbers, lengths);
        found.set(Number(id), this.keep(Number(id), head));
      }
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
