/** A longer text is parsed in pieces. Measured: the worst text of this length takes 10 ms of processor time. */
export const AT_ONCE_BYTES = 131_072;
/** A longer text waits for its slice: many may arrive in one turn of the event loop. The worst text of this length takes as long as four ordinary requests. */
export const UNSLICED_BYTES = 16_384;

/** Other requests wait for so long at most, while something is done in slices. Measured: a text of 128 KiB that is parsed at the end of it adds 10 ms. */
const SLICE_MILLIS = 5;

/** A work in steps. */
interface Steps<Result> {
  /** Returns whether it has ended. May throw. */
  advance(): boolean;
  readonly result: Result;
}

/** What has become of a work in a slice. A large result ends the slice, and is given in a turn of its own: using it takes a while. */
type Progress = 'unfinished' | 'ended' | 'ended with the slice';

/** Goes on until it ends or the clock shows this. */
type SlicedWork = (untilMillis: number) => Progress;

const waiting: SlicedWork[] = [];
/** The large one that has begun; the others wait for its end. Half a result of each would be more than the garbage collector moves in a short time. */
let begunLarge: SlicedWork | undefined;

/** One slice in a turn of the event loop, for all that waits: slices of their own would follow one another in one turn. */
function runSlice(): void {
  const untilMillis = performance.now() + SLICE_MILLIS;
  do {
    const work = waiting.shift()!;
    const progress = work(untilMillis);
    if (progress === 'unfinished') waiting.push(work);
    else if (work === begunLarge) begunLarge = undefined;
    if (progress === 'ended with the slice') break;
  } while (waiting.length > 0 && performance.now() < untilMillis);
  if (waiting.length > 0) setImmediate(runSlice);
}

/**
 * Resolves to the result of a work that is done in slices, in turn with all others of the process; large ones one after the other.
 * @param begin called in the first slice
 * @param beforeSlice called in each turn of the work, also while it waits for another large one; what it throws ends the work
 * @param isLarge using the result takes as long as a slice or longer
 */
export function inSlices<Result>(
  begin: () => Steps<Result>,
  beforeSlice: () => void,
  isLarge: boolean,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    let steps: Steps<Result> | undefined;
    const work: SlicedWork = (untilMillis) => {
      try {
        beforeSlice();
        if (isLarge && (begunLarge ??= work) !== work) return 'unfinished';
        steps ??= begin();
        while (!steps.advance()) if (performance.now() >= untilMillis) return 'unfinished';
        const { result } = steps;
        if (!isLarge) resolve(result);
        else setImmediate(resolve, result);
        return isLarge ? 'ended with the slice' : 'ended';
      } catch (error) {
        reject(error as Error);
        return 'ended';
      }
    };
    if (waiting.push(work) === 1) setImmediate(runSlice);
  });
}

/** A work that pauses where others may have their turn, after a fraction of a millisecond. */
export type SteppedWork<Result> = Generator<undefined, Result>;

/** Does a work at once. */
export function atOnce<Result>(work: SteppedWork<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/**
 * Does a work on what was read of so many bytes, beside others if they are many.
 * @param beforeSlice called before each part of the work; what it throws ends it
 */
export async function workInSlices<Result>(
  bytes: number,
  work: SteppedWork<Result>,
  beforeSlice: () => void,
): Promise<Result> {
  if (bytes <= UNSLICED_BYTES) return atOnce(work);
  let result: Result;
  const steps: Steps<Result> = {
    advance: () => {
      const { done, value } = work.next();
      if (done) result = value;
      return done === true;
    },
    get result() {
      return result;
    },
  };
  return inSlices(() => steps, beforeSlice, bytes > AT_ONCE_BYTES);
}
