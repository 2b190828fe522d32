/** The argument of a process that leaves what takes long to the others. */
export const SHORT_ONLY = '--short-only';
