import { HttpException } from '@nestjs/common';
import { type EnvelopeCode, statusOf } from './envelope-codes';

/** An error with a specific code in the envelope. The code determines its HTTP status. */
export class ApiException extends HttpException {
  constructor(
    readonly code: EnvelopeCode,
    message: string,
  ) {
    super(message, statusOf(code));
  }
}
