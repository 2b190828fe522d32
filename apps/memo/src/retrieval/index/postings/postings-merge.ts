import { type Executor, type Transaction } from '@inference/database';
import { insertPostings, type PostingRow, readPostings } from '../storage/postings.repository';
import { compareTermIds, splitTermId } from '../term-id';
import { PostingBlock, PostingBlockPacker } from './posting-blocks';
import { postingOf, UnpackedPostings } from './postings';

/** Rows read at a time: a few hundred kilobytes. A merge holds as many of each of its segments. */
const ROWS_PER_PAGE = 256;

/** Reads the terms of a segment in the order of their ids, with their packed postings. */
class TermCursor {
  high = 0;
  low = 0;
  list: Buffer = Buffer.alloc(0);
  private rows: PostingRow[] = [];
  private row = 0;
  private block: PostingBlock | undefined;
  private index = 0;

  private constructor(
    private readonly executor: Executor,
    private readonly segmentId: bigint,
  ) {}

  /** A cursor at the first term; undefined if the segment has no terms. */
  static async open(executor: Executor, segmentId: bigint): Promise<TermCursor | undefined> {
    const cursor = new TermCursor(executor, segmentId);
    return (await cursor.readPage(undefined)) ? cursor : undefined;
  }

  compareTo(other: TermCursor): number {
    return compareTermIds(this.high, this.low, other.high, other.low);
  }

  /** Moves to the next term. Returns false if its row has to be read first (`nextPage`). */
  advance(): boolean {
    this.index += 1;
    if (this.block && this.index < this.block.terms) this.readTerm();
    else if (this.row + 1 < this.rows.length) this.openRow(this.row + 1);
    else return false;
    return true;
  }

  /** Reads the next rows and moves to their first term. Returns false at the end of the segment. */
  nextPage(): Promise<boolean> {
    return this.rows.length < ROWS_PER_PAGE ? Promise.resolve(false) : this.readPage(this.rows.at(-1)![0]);
  }

  private async readPage(after: bigint | undefined): Promise<boolean> {
    this.rows = await readPostings(this.executor, this.segmentId, after, ROWS_PER_PAGE);
    if (this.rows.length === 0) return false;
    this.openRow(0);
    return true;
  }

  private openRow(row: number): void {
    this.row = row;
    this.index = 0;
    const [key, list, block] = this.rows[row]!;
    this.block = block ? new PostingBlock(block) : undefined;
    if (this.block) return this.readTerm();
    [this.high, this.low] = splitTermId(key);
    this.list = list!;
  }

  private readTerm(): void {
    const [block, index] = [this.block!, this.index];
    [this.high, this.low, this.list] = [block.high(index), block.low(index), block.list(index)];
  }
}

/** Bytes that are written at a time. Twice takes twice the memory; half makes twice the statements. */
const BYTES_PER_PART = 4 * 1_048_576;

/** A segment whose postings are copied. */
export interface SegmentSource {
  id: bigint;
  /** The slot in the new segment for each slot; -1 if the chunk is dropped. */
  slots: Int32Array;
}

interface SourceCursor {
  cursor: TermCursor;
  slots: Int32Array;
}

/** Writes the postings of a merged segment, in parts, while it reads those of its sources in the order of their terms. */
export async function copyPostings(
  transaction: Transaction,
  sources: SegmentSource[],
  segmentId: bigint,
  signal: AbortSignal,
): Promise<void> {
  const packer = new PostingBlockPacker();
  const unpacked = new UnpackedPostings();
  const merged = { values: new Float64Array(1_024) };
  let open: SourceCursor[] = [];
  for (const { id, slots } of sources) {
    const cursor = await TermCursor.open(transaction, id);
    if (cursor) open.push({ cursor, slots });
  }
  while (open.length > 0) {
    const [least, ...others] = withLeastTerm(open);
    const { high, low } = least!.cursor;
    const sources = [least!, ...others];
    const count = mergePostings(sources, unpacked, merged);
    if (count > 0) packer.add(high, low, merged.values, 0, count);
    for (const source of sources) {
      if (source.cursor.advance()) continue;
      signal.throwIfAborted();
      if (!(await source.cursor.nextPage())) open = open.filter((other) => other !== source);
    }
    if (packer.bytes > BYTES_PER_PART) await insertPostings(transaction, segmentId, packer.take());
  }
  await insertPostings(transaction, segmentId, packer.take());
}

/** All sources that have the least term. */
function withLeastTerm(sources: readonly SourceCursor[]): SourceCursor[] {
  let least: SourceCursor[] = [];
  for (const source of sources) {
    const compared = least.length === 0 ? -1 : source.cursor.compareTo(least[0]!.cursor);
    if (compared < 0) least = [source];
    else if (compared === 0) least.push(source);
  }
  return least;
}

/** Writes the postings of a term in the slots of the new segment to `merged`, and returns their number. */
function mergePostings(
  sources: SourceCursor[],
  unpacked: UnpackedPostings,
  merged: { values: Float64Array },
): number {
  let count = 0;
  let isAscending = true;
  unpacked.clear();
  for (const { cursor, slots } of sources) {
    const from = unpacked.length;
    unpacked.append(cursor.list);
    if (merged.values.length < unpacked.length) {
      const larger = new Float64Array(unpacked.length * 2);
      larger.set(merged.values);
      merged.values = larger;
    }
    const { values } = merged;
    for (let i = from; i < unpacked.length; i++) {
      const slot = slots[unpacked.slots[i]!]!;
      if (slot < 0) continue;
      const posting = postingOf(slot, unpacked.frequencies[i]!);
      isAscending &&= count === 0 || values[count - 1]! < posting;
      values[count++] = posting;
    }
  }
  if (!isAscending) merged.values.subarray(0, count).sort();
  return count;
}
