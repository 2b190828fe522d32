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
 */
export async function timesAsLong(work: () => unknown, reference: () => unknown): Promise<number> {
  let [ofWork, ofReference] = [Infinity, Infinity];
  for (let run = 0; run < RUNS; run++) {
    ofWork = Math.min(ofWork, await processorMillis(work));
    ofReference = Math.min(ofReference, await processorMillis(reference));
  }
  return ofWork / ofReference;
}
