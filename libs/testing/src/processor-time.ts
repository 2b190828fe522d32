/** Other work of the machine, and the first run of a function, cost time that the least of some runs is without. */
const RUNS = 3;

/** The least milliseconds of processor time of some runs, garbage collection included. */
async function processorMillis(work: () => unknown, runs = RUNS): Promise<number> {
  let least = Infinity;
  for (let run = 0; run < runs; run++) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

/**
 * How many times the processor time of `reference` a piece of work takes. The two run in turns, so that a slow or busy
 * machine slows both. `reference` must take some milliseconds at least.
 */
export async function timesAsLong(work: () => unknown, reference: () => unknown): Promise<number> {
  let [ofWork, ofReference] = [Infinity, Infinity];
  for (let run = 0; run < RUNS; run++) {
    ofWork = Math.min(ofWork, await processorMillis(work, 1));
    ofReference = Math.min(ofReference, await processorMillis(reference, 1));
  }
  return ofWork / ofReference;
}
