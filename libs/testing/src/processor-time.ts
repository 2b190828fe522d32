/**
 * Other work of the machine, and the first runs of a function, cost time that the least of some runs is without. Of three, each may
 * hold a garbage collection or the compilation of something.
 */
const RUNS = 10;

/** Of all threads of this process, garbage collection included. */
async function processorMillis(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * How many times the processor time of `reference` a piece of work takes. The two run in turns, so that a slow or busy
 * machine slows both. `reference` must take some milliseconds at least.
 * @param enough ends at the first run with less: other work of the machine makes both longer, never shorter
 */
export async function timesAsLong(
  work: () => unknown,
  reference: () => unknown,
  enough: number,
): Promise<number> {
  let [ofWork, ofReference] = [Infinity, Infinity];
  let run = 0;
  do {
    ofReference = Math.min(ofReference, await processorMillis(reference));
    ofWork = Math.min(ofWork, await processorMillis(work));
  } while (++run < RUNS && ofWork >= enough * ofReference);
  return ofWork / ofReference;
}

/** Processor time of the whole process in the longest turn of the event loop during a piece of work. */
async function longestTurnMillis(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = process.cpuUsage();
  let hasEnded = false;
  const watch = () => {
    const { user, system } = process.cpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.cpuUsage();
    if (!hasEnded) setImmediate(watch);
  };
  setImmediate(watch);
  try {
    await work();
  } finally {
    hasEnded = true;
  }
  watch();
  return longest;
}

/**
 * Which part of the processor time of `reference` the longest turn of a piece of work takes. Throws what the work throws.
 * @param enough ends at the first run with less: other work of the machine makes turns longer, never shorter
 */
export async function longestTurnOf(
  work: () => Promise<unknown>,
  reference: () => unknown,
  enough: number,
): Promise<number> {
  let [ofWork, ofReference] = [Infinity, Infinity];
  let run = 0;
  do {
    ofReference = Math.min(ofReference, await processorMillis(reference));
    ofWork = Math.min(ofWork, await longestTurnMillis(work));
  } while (++run < RUNS && ofWork >= enough * ofReference);
  return ofWork / ofReference;
}
