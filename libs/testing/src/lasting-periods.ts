import { setTimeout as sleep } from 'node:timers/promises';

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;
/** Chosen: longer than a test file takes on a slow machine. Half of the time limit of a test. */
const FILE_MILLIS = 90_000;

async function untilOneLasts(periodMillis: number): Promise<void> {
  const leftMillis = () => periodMillis - (Date.now() % periodMillis);
  while (leftMillis() < FILE_MILLIS) await sleep(leftMillis());
}

/** Resolves when the present hour of UTC does not end before the tests of a file. */
export const hourLasts = (): Promise<void> => untilOneLasts(HOUR_MILLIS);

/** Resolves when the present day of UTC does not end before the tests of a file. */
export const dayLasts = (): Promise<void> => untilOneLasts(DAY_MILLIS);
