export const FIRST_CHECK_SECONDS = 5;
const LONGEST_PAUSE_SECONDS = 600;
/** Of a payment's age: the pauses grow with it. */
const PAUSE_SHARE = 1 / 3;
/** After the end, when money may still have been on its way. */
const LAST_CHECKS_SECONDS = [3_600, 86_400];

/** Seconds until a provider is asked again about something that is pending: the longer it has been, the later. */
export function nextCheckSeconds(ageSeconds: number): number {
  return Math.min(Math.max(ageSeconds * PAUSE_SHARE, FIRST_CHECK_SECONDS), LONGEST_PAUSE_SECONDS);
}

/** Of a payment that ended unpaid so many seconds ago; null when enough has been asked. */
export function lastCheckSeconds(endedSecondsAgo: number): number | null {
  const next = LAST_CHECKS_SECONDS.find((seconds) => seconds > endedSecondsAgo);
  return next === undefined ? null : next - endedSecondsAgo;
}
