import { DetailedException } from './detailed.exception';

/** `Retry-After` of a 503 that may end soon: another replica, or this one, may answer after a second. */
export const RETRY_AFTER_ONE_SECOND = { 'Retry-After': '1' };

/** 503 with a code for programs and `Retry-After: 1`. */
export class UnavailableException extends DetailedException {
  /** @param code does not change between versions; clients branch on it */
  constructor(message: string, code: string, headers?: Record<string, string>) {
    super(503, message, { code }, { ...RETRY_AFTER_ONE_SECOND, ...headers });
  }
}
