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
