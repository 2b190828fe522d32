import { type NextFunction, type Request, type Response } from 'express';
import { type Logger } from 'pino';

/** Behind a proxy that is not configured all customers have one address, and share its limits: says so, once. */
export function warnOfUntrustedProxy(logger: Logger) {
  let isSaid = false;
  return (request: Request, _response: Response, next: NextFunction): void => {
    if (!isSaid && request.headers['x-forwarded-for'] !== undefined) {
      isSaid = true;
      logger.warn('X-Forwarded-For is not believed: TRUST_PROXY names no proxy.');
    }
    next();
  };
}
