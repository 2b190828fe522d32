import { HttpException } from '@nestjs/common';

/** 429 with `Retry-After` in seconds, and optional further headers that describe the limit. */
export class TooManyRequestsException extends HttpException {
  readonly headers: Record<string, string>;

  constructor(message: string, retryAfterSeconds: number, headers: Record<string, string> = {}) {
    super(message, 429);
    this.headers = { ...headers, 'Retry-After': String(retryAfterSeconds) };
  }
}
