import { HttpException } from '@nestjs/common';
import { type EnvelopeCode, statusOf } from './envelope-codes';

/** A refusal with a code of its own; its HTTP status follows from the code. */
export class CodedException extends HttpException {
  constructor(
    readonly code: EnvelopeCode,
    message: string,
  ) {
    super(message, statusOf(code));
  }
}
