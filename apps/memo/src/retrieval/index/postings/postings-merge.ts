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
  /** The packed postings of the term are the bytes from `from` to `to`. */
  bytes: Buffer = Buffer.alloc(0);
  from = 0;
  to = 0;
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
    [this.bytes, this.from, this.to] = [list!, 0, list!.length];
  }

  private readTerm(): void {
    const { block, index } = this;
    this.high = block!.high(index);
    this.low = block!.low(index);
    this.bytes = block!.bytes;
    this.from = index === 0 ? block!.listsStart : this.to;
    this.to = block!.listEnd(index);
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
  const inOrder = sources.toSorted((one, other) => one.slots[0]! - other.slots[0]!);
  const addTerm = areConsecutive(inOrder) ? appendLists : termMerger();
  let open: SourceCursor[] = [];
  for (const { id, slots } of inOrder) {
    const cursor = await TermCursor.open(transaction, id);
    if (cursor) open.push({ cursor, slots });
  }
  const least: SourceCursor[] = [];
  while (open.length > 0) {
    findLeastTerm(open, least);
    addTerm(packer, least);
    for (const source of least) {
      if (source.cursor.advance()) continue;
      signal.throwIfAborted();
      if (!(await source.cursor.nextPage())) open = open.filter((other) => other !== source);
    }
    if (packer.bytes > BYTES_PER_PART) await insertPostings(transaction, segmentId, packer.take());
  }
  await insertPostings(transaction, segmentId, packer.take());
}

/** Whether each source follows the one before in the new segment, and none of its chunks is dropped. */
function areConsecutive(sources: readonly SegmentSource[]): boolean {
  let next = 0;
  return sources.every(({ slots }) => slots.every((slot) => slot === next++));
}

/** Sets `least` to the sources that have the least term, in their order. */
function findLeastTerm(sources: readonly SourceCursor[], least: SourceCursor[]): void {
  least.length = 0;
  for (const source of sources) {
    const compared = least.length === 0 ? -1 : source.cursor.compareTo(least[0]!.cursor);
    if (compared < 0) least.length = 0;
    if (compared <= 0) least.push(source);
  }
}

/** Adds a term of consecutive sources. */
function appendLists(packer: PostingBlockPacker, sources: readonly SourceCursor[]): void {
  packer.start();
  for (const { cursor, slots } of sources) packer.append(cursor.bytes, cursor.from, cursor.to, slots[0]!);
  packer.end(sources[0]!.cursor.high, sources[0]!.cursor.low);
}

/** Returns a function that adds a term of any sources, of which some chunks may be dropped. */
function termMerger(): (packer: PostingBlockPacker, sources: readonly SourceCursor[]) => void {
  const unpacked = new UnpackedPostings();
  const merged = { values: new Float64Array(1_024) };
  return (packer, sources) => {
    const { high, low } = sources[0]!.cursor;
    const count = mergePostings(sources, unpacked, merged);
    if (count > 0) packer.add(high, low, merged.values, 0, count);
  };
}

/** Writes the postings of a term in the slots of the new segment to `merged`, and returns their number. */
function mergePostings(
  sources: readonly SourceCursor[],
  unpacked: UnpackedPostings,
  merged: { values: Float64Array },
): number {
  let count = 0;
  let isAscending = true;
  unpacked.clear();
  for (const { cursor, slots } of sources) {
    const from = unpacked.length;
    unpacked.append(cursor.bytes.subarray(cursor.from, cursor.to));
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
