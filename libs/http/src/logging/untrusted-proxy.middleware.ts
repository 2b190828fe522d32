import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Logger } from 'pino';

/** Warns once if a request came through a proxy that TRUST_PROXY does not name: all clients then share one address and its rate limits. */
export function warnOfUntrustedProxy(logger: Logger) {
  let hasWarned = false;
  return (request: IncomingMessage, _response: ServerResponse, next: () => void): void => {
    if (!hasWarned && request.headers['x-forwarded-for'] !== undefined) {
      hasWarned = true;
      logger.warn('X-Forwarded-For is ignored: TRUST_PROXY names no proxy.');
    }
    next();
  };
}
