/** Chosen: most payers finish within seconds, and a lost notification should not cost them longer than that. */
export const FIRST_CHECK_SECONDS = 5;
/** Chosen: the longest time for which a lost notification delays a credit. */
const MAX_PAUSE_SECONDS = 600;
/** Chosen: the pause grows with the age, so that a payment is polled about 20 times in its first hour. */
const PAUSE_PER_AGE = 1 / 3;
/** Chosen: money that was on its way when a payment ended arrives within an hour, or within a day. */
const CHECKS_AFTER_END_SECONDS = [3_600, 86_400];

/** Seconds until the provider is asked again about a pending payment or refund of this age. */
export function nextCheckSeconds(ageSeconds: number): number {
  return Math.min(Math.max(ageSeconds * PAUSE_PER_AGE, FIRST_CHECK_SECONDS), MAX_PAUSE_SECONDS);
}

/** Seconds until the next check of a payment that ended unpaid so many seconds ago; null after the last check. */
export function nextCheckAfterEndSeconds(endedSecondsAgo: number): number | null {
  const next = CHECKS_AFTER_END_SECONDS.find((seconds) => seconds > endedSecondsAgo);
  return next === undefined ? null : next - endedSecondsAgo;
}
