import { VarintReader, VarintWriter } from './varint';

/**
 * A part of a workspace's index, written once. Its chunks have slots from 0; `numbers` holds the distance of each one's
 * number from the one before it, as packed numbers, the first of them 0; `lengths` how many words each chunk has, two bytes
 * each, little endian. The postings of its terms: PostingsPacker.
 */
export interface Segment {
  chunks: number;
  words: number;
  numbers: Uint8Array;
  lengths: Uint8Array;
  /** How many chunks had their words shortened by the rules of which language. */
  languages: Record<string, number>;
}

/** The postings of many terms, in the order of the terms' ids: those of `terms[i]` end at `ends[i]` in `bytes`. */
export interface PackedPostings {
  terms: BigInt64Array;
  ends: Uint32Array;
  /** In how many chunks each term stands. */
  chunks: Int32Array;
  bytes: Uint8Array;
}

/** What of a segment is needed whatever is searched. */
export interface SegmentHead {
  chunks: number;
  /** The number in the workspace of each slot's chunk, ascending. */
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
