/** Segments of fewer chunks are those of single documents; each costs every search a little. */
export const SMALL_CHUNKS = 1_024;
const MOST_SMALL = 48;
/** From there on segments of about one size are merged when there are so many; a size is so many times the one below. */
const MOST_OF_ONE_SIZE = 8;
const SIZE_FACTOR = 8;
const MOST_CHUNKS = 131_072;
/** What a segment may hold of chunks that are not served any more. */
const RETIRED_SHARE = 0.2;

export interface SizedSegment {
  id: bigint;
  chunks: number;
}

/** Those to be merged into one now; none when there are few enough. */
export function chooseForMerge<Sized extends SizedSegment>(segments: readonly Sized[]): Sized[] {
  const bySize = new Map<number, Sized[]>();
  for (const segment of segments) {
    const size = sizeOf(segment);
    bySize.set(size, [...(bySize.get(size) ?? []), segment]);
  }
  for (const [size, ofSize] of [...bySize].sort(([one], [other]) => one - other)) {
    const chosen = smallest(ofSize);
    if (chosen.length >= (size === 0 ? MOST_SMALL : MOST_OF_ONE_SIZE)) return chosen;
  }
  return [];
}

/** Whether a segment is to be written anew for what it holds in vain. Small ones are merged soon enough. */
export const isMostlyOutdated = ({ chunks }: { chunks: number }, retired: number): boolean =>
  chunks >= SMALL_CHUNKS && retired > chunks * RETIRED_SHARE;

/** From 0. */
function sizeOf({ chunks }: SizedSegment): number {
  let size = 0;
  for (let limit = SMALL_CHUNKS; chunks >= limit; limit *= SIZE_FACTOR) size += 1;
  return size;
}

/** As many as one segment may hold. */
function smallest<Sized extends SizedSegment>(segments: Sized[]): Sized[] {
  let chunks = 0;
  return segments
    .toSorted((one, other) => one.chunks - other.chunks)
    .filter((segment) => (chunks += segment.chunks) <= MOST_CHUNKS);
}
