import { type Transaction } from '@inference/database';
import { postingOf, PostingsPacker, UnpackedPostings } from './postings';
import { type PackedSegment } from './segment';
import { insertPostings, type PostingRow, readPostings } from './storage/postings.repository';

/** Words of the new segment per part; the postings of one part are in memory at a time. */
const WORDS_PER_PART = 500_000;
const MIN_TERM_ID = -(2n ** 63n);
const TERM_ID_COUNT = 2n ** 64n;

/** A segment whose postings are copied. */
export interface SegmentSource {
  id: bigint;
  /** The slot in the new segment for each slot; -1 if the chunk is dropped. */
  slots: Int32Array;
}

/**
 * Writes the postings of a merged segment, in parts. Term ids are hashes, so equal ranges of ids have about equal
 * numbers of postings.
 */
export async function copyPostings(
  transaction: Transaction,
  sources: SegmentSource[],
  { id, segment }: { id: bigint; segment: PackedSegment },
  signal: AbortSignal,
): Promise<void> {
  const parts = BigInt(Math.ceil(segment.words / WORDS_PER_PART) || 1);
  const slotsOf = new Map(sources.map((source) => [source.id, source.slots]));
  for (let part = 0n; part < parts; part++) {
    signal.throwIfAborted();
    const first = MIN_TERM_ID + (TERM_ID_COUNT * part) / parts;
    const last = MIN_TERM_ID + (TERM_ID_COUNT * (part + 1n)) / parts - 1n;
    const rows = await readPostings(transaction, [...slotsOf.keys()], first, last);
    await insertPostings(transaction, id, packed(rows, slotsOf));
  }
}

function packed(rows: PostingRow[], slotsOf: ReadonlyMap<bigint, Int32Array>) {
  const packer = new PostingsPacker();
  const unpacked = new UnpackedPostings();
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const term = rows[from]![1];
    const postings: number[] = [];
    for (; to < rows.length && rows[to]![1] === term; to++) {
      const [segmentId, , data] = rows[to]!;
      const slots = slotsOf.get(segmentId)!;
      unpacked.clear();
      unpacked.append(data);
      for (let i = 0; i < unpacked.length; i++) {
        const slot = slots[unpacked.slots[i]!]!;
        if (slot >= 0) postings.push(postingOf(slot, unpacked.frequencies[i]!));
      }
    }
    if (postings.length > 0) packer.add(term, Float64Array.from(postings).sort());
  }
  return packer.packed();
}
