/** Cron patterns, in UTC. */
export const EVERY_MINUTE = '* * * * *';
export const EVERY_TEN_MINUTES = '*/10 * * * *';
export const EVERY_HOUR = '0 * * * *';
