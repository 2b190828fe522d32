import { type Transaction } from '@inference/database';
import { PostingBlockPacker } from './posting-blocks';
import { postingOf, UnpackedPostings } from './postings';
import { insertPostings } from '../storage/postings.repository';
import { TermCursor } from './term-cursor';

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
  let open: SourceCursor[] = [];
  for (const { id, slots } of sources) {
    const cursor = await TermCursor.open(transaction, id);
    if (cursor) open.push({ cursor, slots });
  }
  while (open.length > 0) {
    const [least, ...others] = withLeastTerm(open);
    const { high, low } = least!.cursor;
    const postings = mergedPostings([least!, ...others], unpacked);
    if (postings.length > 0) packer.add(high, low, postings);
    for (const source of [least!, ...others]) {
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

/** The postings of a term in the slots of the new segment. */
function mergedPostings(sources: SourceCursor[], unpacked: UnpackedPostings): Float64Array {
  unpacked.clear();
  const postings: number[] = [];
  let isAscending = true;
  for (const { cursor, slots } of sources) {
    const from = unpacked.length;
    unpacked.append(cursor.list);
    for (let i = from; i < unpacked.length; i++) {
      const slot = slots[unpacked.slots[i]!]!;
      if (slot < 0) continue;
      const posting = postingOf(slot, unpacked.frequencies[i]!);
      isAscending &&= postings.length === 0 || postings.at(-1)! < posting;
      postings.push(posting);
    }
  }
  const merged = Float64Array.from(postings);
  return isAscending ? merged : merged.sort();
}
