import { HttpException } from '@nestjs/common';

/** An error with further members for programs: the body is `{error, ...details}`. The message is shown for every status, also 5xx. */
export class DetailedException extends HttpException {
  constructor(
    status: number,
    message: string,
    readonly details: Record<string, unknown>,
    readonly headers?: Record<string, string>,
  ) {
    super(message, status);
  }
}

/** 429 with `Retry-After` in seconds, and optional further headers that describe the limit. */
export class TooManyRequestsException extends HttpException {
  readonly headers: Record<string, string>;

  constructor(message: string, retryAfterSeconds: number, headers: Record<string, string> = {}) {
    super(message, 429);
    this.headers = { ...headers, 'Retry-After': String(retryAfterSeconds) };
  }
}

/** `Retry-After` of a 503 that may end soon: another replica, or this one, may answer after a second. */
export const RETRY_AFTER_ONE_SECOND = { 'Retry-After': '1' };

/** 503 with a code for programs and `Retry-After: 1`. */
export class UnavailableException extends DetailedException {
  /** @param code does not change between versions; clients branch on it */
  constructor(message: string, code: string, headers?: Record<string, string>) {
    super(503, message, { code }, { ...RETRY_AFTER_ONE_SECOND, ...headers });
  }
}
