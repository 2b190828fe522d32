import { isNativeError } from 'node:util/types';

const CONNECTION_ERRNOS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EPIPE',
  'EAI_AGAIN',
]);
/**
 * SQLSTATE codes: connection exceptions (class 08), server shutdown and start-up, too many connections, cancelled statement
 * (our own time limit), read-only server (during a failover).
 */
const UNAVAILABLE_SQLSTATE = /^(08...|57P0[1-5]|53300|57014|25006)$/;
const POOL_MESSAGES =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end/;

/** Whether an error means that the database is unavailable, as opposed to an invalid statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  // A host with several addresses fails with the errors of all of them.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isDatabaseUnavailable);
  const { code = '' }: NodeJS.ErrnoException = error;
  return CONNECTION_ERRNOS.has(code) || UNAVAILABLE_SQLSTATE.test(code) || POOL_MESSAGES.test(error.message);
}

/** SQLSTATE (PostgreSQL, appendix A). */
const UNIQUE_VIOLATION = '23505';

/** Whether a statement failed because a unique key is taken. */
export const isUniqueViolation = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === UNIQUE_VIOLATION;

/** SQLSTATE query_canceled. */
const QUERY_CANCELED = '57014';

/** Whether a statement was cancelled because it took too long. */
export const isTooSlow = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === QUERY_CANCELED;
