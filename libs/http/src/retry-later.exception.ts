import { HttpException } from '@nestjs/common';

/** 429 that tells the caller when to come back: `Retry-After` and whatever other headers explain the limit. */
export class RetryLaterException extends HttpException {
  readonly headers: Record<string, string>;

  constructor(message: string, retryAfterSeconds: number, headers: Record<string, string> = {}) {
    super(message, 429);
    this.headers = { ...headers, 'Retry-After': String(retryAfterSeconds) };
  }
}
