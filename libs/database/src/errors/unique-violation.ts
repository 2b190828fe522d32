/** SQLSTATE (PostgreSQL, appendix A). */
const UNIQUE_VIOLATION = '23505';

/** Whether a statement failed because a unique key is taken. */
export const isUniqueViolation = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === UNIQUE_VIOLATION;
