import { type Segment } from './storage/segment.entity';

/** Segments below this size come from single documents and batches. Each segment adds a little time to every search. */
const SMALL_SEGMENT_CHUNKS = 1_024;
/** Half causes twice the merges; twice makes every search read twice the segments. */
const MAX_SMALL_SEGMENTS = 48;
/**
 * Larger segments form tiers by size; each tier is TIER_FACTOR times larger than the one below. A tier with this many
 * segments is merged.
 */
const MAX_SEGMENTS_PER_TIER = 8;
const TIER_FACTOR = 8;
/** Bounds the time of one merge, which twice as many would double; half leaves twice the segments for every search to read. */
const MAX_MERGED_CHUNKS = 131_072;
/**
 * A segment with a larger share of retired chunks is rewritten. Half causes twice the rewrites; at twice, two fifths
 * of the postings that a search reads are useless.
 */
const MAX_RETIRED_SHARE = 0.2;

type SizedSegment = Pick<Segment, 'id' | 'chunks'>;

/** The segments to merge now; empty if there are few enough. */
export function chooseForMerge<Sized extends SizedSegment>(segments: readonly Sized[]): Sized[] {
  const bySize = new Map<number, Sized[]>();
  for (const segment of segments) {
    const size = tierOf(segment);
    bySize.set(size, [...(bySize.get(size) ?? []), segment]);
  }
  for (const [size, ofSize] of [...bySize].sort(([one], [other]) => one - other)) {
    const chosen = smallest(ofSize);
    if (chosen.length >= (size === 0 ? MAX_SMALL_SEGMENTS : MAX_SEGMENTS_PER_TIER)) return chosen;
  }
  return [];
}

/** Whether a segment is to be rewritten without its retired chunks. Small segments are merged soon anyway. */
export const hasManyRetiredChunks = ({ chunks }: { chunks: number }, retired: number): boolean =>
  chunks >= SMALL_SEGMENT_CHUNKS && retired > chunks * MAX_RETIRED_SHARE;

/** The tier of a segment, from 0 for small ones. */
function tierOf({ chunks }: SizedSegment): number {
  let size = 0;
  for (let limit = SMALL_SEGMENT_CHUNKS; chunks >= limit; limit *= TIER_FACTOR) size += 1;
  return size;
}

/** The smallest segments that together fit into one. */
function smallest<Sized extends SizedSegment>(segments: Sized[]): Sized[] {
  let chunks = 0;
  return segments
    .toSorted((one, other) => one.chunks - other.chunks)
    .filter((segment) => (chunks += segment.chunks) <= MAX_MERGED_CHUNKS);
}
