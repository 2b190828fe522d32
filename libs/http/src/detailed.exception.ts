import { HttpException } from '@nestjs/common';

/**
 * An error that tells programs more than its status: the body is `{error, ...details}`. Its message is meant for the
 * client, whatever the status.
 */
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
