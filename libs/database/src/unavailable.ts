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
 * SQLSTATE: class 08 connection exceptions, shutdown and start-up of the server, no connection left, a statement that
 * was given up (our own time limit), a server that only reads (in the middle of a failover).
 */
const UNAVAILABLE_SQLSTATE = /^(08...|57P0[1-5]|53300|57014|25006)$/;
const POOL_MESSAGES =
  /Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error|Cannot use a pool after calling end/;

/** Whether an error means that the database cannot be reached now, as opposed to a fault of a statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!isNativeError(error)) return false;
  // A host with several addresses fails with the errors of all of them.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.some(isDatabaseUnavailable);
  const { code = '' }: NodeJS.ErrnoException = error;
  return CONNECTION_ERRNOS.has(code) || UNAVAILABLE_SQLSTATE.test(code) || POOL_MESSAGES.test(error.message);
}
