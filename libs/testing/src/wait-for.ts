/** Only what never happens takes so long, also on a machine that is busy with other things. */
const TIMEOUT_MILLIS = 120_000;
const SHORTEST_PAUSE_MILLIS = 10;
const LONGEST_PAUSE_MILLIS = 100;
/** Of the time that was waited already: what takes long is asked for less often, because many tests wait at the same time. */
const PAUSE_SHARE = 0.2;

/** Polls until the condition holds. Fails with the last error or last value after the deadline. */
export async function waitFor<T>(
  condition: () => Promise<T | false | null | undefined> | T | false | null | undefined,
  timeoutMillis = TIMEOUT_MILLIS,
): Promise<T> {
  const startedAt = Date.now();
  const deadline = startedAt + timeoutMillis;
  for (;;) {
    let failure: unknown = new Error(`The condition was not met within ${timeoutMillis} ms.`);
    try {
      const value = await condition();
      if (value) return value;
    } catch (error) {
      failure = error;
    }
    if (Date.now() > deadline) throw failure;
    const pause = Math.max(SHORTEST_PAUSE_MILLIS, (Date.now() - startedAt) * PAUSE_SHARE);
    await new Promise((resolve) => setTimeout(resolve, Math.min(pause, LONGEST_PAUSE_MILLIS)));
  }
}
