const LONGEST_RETRY_SECONDS = 3_600;
/** Whoever asks for more has got a clock wrong. */
const LONGEST_WAIT_SECONDS = 86_400;

/**
 * Seconds until a code host is asked again after so many failures in a row: the more, the longer, up to an hour, and by
 * chance up to the half less, so that consoles everywhere do not come back at the same moment.
 */
export function retrySeconds(failures: number, pollSeconds: number, chance = Math.random()): number {
  const longest = Math.min(pollSeconds * 2 ** (failures - 1), LONGEST_RETRY_SECONDS);
  return longest * (0.5 + chance / 2);
}

/** As long as planned, and longer when the host wants to be left alone until then; but a day at most. */
export function waitSeconds(plannedSeconds: number, notBefore: Date | null): number {
  const wantedSeconds = notBefore === null ? 0 : (notBefore.getTime() - Date.now()) / 1_000;
  return Math.min(Math.max(plannedSeconds, wantedSeconds), LONGEST_WAIT_SECONDS);
}
