import { type SegmentHead } from './segment';

/** Consecutive chunk numbers of a workspace. */
export interface ChunkRange {
  first: number;
  length: number;
}

/** An array with 1 in the slots of retired chunks; undefined if no chunk is retired. */
export function retiredSlots(
  { chunks, numbers }: SegmentHead,
  retired: readonly ChunkRange[],
): Uint8Array | undefined {
  let dead: Uint8Array | undefined;
  for (const { first, length } of retired) {
    for (
      let slot = firstIndexWhere(chunks, (at) => numbers[at]! >= first);
      slot < chunks && numbers[slot]! < first + length;
      slot++
    )
      (dead ??= new Uint8Array(chunks))[slot] = 1;
  }
  return dead;
}

/** The range that contains a chunk number. @param ranges ascending */
export function findRange(number: number, ranges: readonly ChunkRange[]): ChunkRange | undefined {
  const range = ranges[firstIndexWhere(ranges.length, (at) => ranges[at]!.first > number) - 1];
  return range && number < range.first + range.length ? range : undefined;
}

/** Binary search: the first index for which the condition holds, or `count`. */
function firstIndexWhere(count: number, isFarEnough: (place: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isFarEnough(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
