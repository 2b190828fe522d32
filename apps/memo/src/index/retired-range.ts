import { type SegmentHead } from './segment';

/** Chunks that are in segments and not served any more, by their numbers in the workspace. */
export interface RetiredRange {
  first: number;
  length: number;
}

/** By slot: 1 for chunks that are not served any more; undefined when all are. */
export function deadSlots(
  { chunks, numbers }: SegmentHead,
  retired: readonly RetiredRange[],
): Uint8Array | undefined {
  let dead: Uint8Array | undefined;
  for (const { first, length } of retired) {
    for (
      let slot = placeOf(chunks, (at) => numbers[at]! >= first);
      slot < chunks && numbers[slot]! < first + length;
      slot++
    )
      (dead ??= new Uint8Array(chunks))[slot] = 1;
  }
  return dead;
}

/** The range that a number is in. @param retired ascending */
export function rangeOf(number: number, retired: readonly RetiredRange[]): RetiredRange | undefined {
  const range = retired[placeOf(retired.length, (at) => retired[at]!.first > number) - 1];
  return range && number < range.first + range.length ? range : undefined;
}

/** The first place that is far enough; `count` when none is. */
function placeOf(count: number, isFarEnough: (place: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isFarEnough(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
