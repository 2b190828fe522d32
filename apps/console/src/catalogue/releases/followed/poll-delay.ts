const LONGEST_RETRY_SECONDS = 3_600;
/** A code host that asks for more has a wrong clock. */
const LONGEST_DELAY_SECONDS = 86_400;

/**
 * Seconds until the next request after consecutive failures: exponential backoff up to an hour, shortened by up to half at
 * random, so that not all deployments come back at the same moment.
 */
export function retryDelaySeconds(failures: number, pollSeconds: number, chance = Math.random()): number {
  const longest = Math.min(pollSeconds * 2 ** (failures - 1), LONGEST_RETRY_SECONDS);
  return longest * (0.5 + chance / 2);
}

/** The planned delay, or longer if the code host accepts no request before `notBefore`; at most a day. */
export function pollDelaySeconds(plannedSeconds: number, notBefore: Date | null): number {
  const requestedSeconds = notBefore === null ? 0 : (notBefore.getTime() - Date.now()) / 1_000;
  return Math.min(Math.max(plannedSeconds, requestedSeconds), LONGEST_DELAY_SECONDS);
}
