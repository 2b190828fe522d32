/** Seconds, for `BackgroundJobs.schedule`. */
export const EVERY_MINUTE = 60;
export const EVERY_TEN_MINUTES = 600;
export const EVERY_HOUR = 3_600;
