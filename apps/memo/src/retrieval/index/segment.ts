import { VarintReader, VarintWriter } from './varint';

/** The analysis of this version. A segment of a former one is rebuilt in the background; until then it is searched as it is. */
export const ANALYSIS = 4;

/**
 * An immutable part of a workspace's index. Its chunks have slots from 0. `numbers` holds the difference between each
 * chunk number and the previous one as varints, the first being 0. `lengths` holds the number of words of each chunk
 * as 16-bit little-endian integers. For its postings see PostingBlockPacker.
 */
export interface PackedSegment {
  /** Version of the analysis that its terms come from. */
  analysis: number;
  /** See packVocabulary. */
  vocabulary: Uint8Array;
  chunks: number;
  words: number;
  numbers: Uint8Array;
  lengths: Uint8Array;
  /** Number of chunks by language of the stemmer. */
  languages: Record<string, number>;
}

/** Blocks of packed postings ordered by term id. The block with `keys[i]` ends at `ends[i]` in `bytes`. */
export interface PackedPostings {
  /** Less than the ids of the block's terms, and not less than the ids of the blocks before it. */
  keys: BigInt64Array;
  ends: Uint32Array;
  /** For a block of one term, the number of chunks that contain it; 0 for other blocks. */
  chunks: Int32Array;
  bytes: Uint8Array;
}

/** The part of a segment that every search needs. */
export interface SegmentHead {
  chunks: number;
  /** Chunk number in the workspace by slot, ascending. */
  numbers: Float64Array;
  lengths: Uint16Array;
}

export function packLengths(lengths: ArrayLike<number>): Uint8Array {
  const packed = new DataView(new ArrayBuffer(lengths.length * 2));
  for (let slot = 0; slot < lengths.length; slot++) packed.setUint16(slot * 2, lengths[slot]!, true);
  return new Uint8Array(packed.buffer);
}

/** @param numbers ascending */
export function packNumbers(numbers: ArrayLike<number>): Uint8Array {
  const writer = new VarintWriter(numbers.length + 8);
  for (let slot = 0; slot < numbers.length; slot++)
    writer.write(slot === 0 ? 0 : numbers[slot]! - numbers[slot - 1]!);
  return writer.written();
}

export function readHead(
  first: number,
  chunks: number,
  numbers: Uint8Array,
  lengths: Uint8Array,
): SegmentHead {
  const reader = new VarintReader(numbers);
  const unpacked = new Float64Array(chunks);
  let number = first;
  for (let slot = 0; slot < chunks; slot++) unpacked[slot] = number += reader.read();
  const view = new DataView(lengths.buffer, lengths.byteOffset, lengths.byteLength);
  const counts = new Uint16Array(chunks);
  for (let slot = 0; slot < chunks; slot++) counts[slot] = view.getUint16(slot * 2, true);
  return { chunks, numbers: unpacked, lengths: counts };
}
