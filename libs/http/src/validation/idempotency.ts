import { RequestHeaders, TextField } from '@inference/dto';
import { ApiConflictResponse } from '@nestjs/swagger';

const FORM = /^[\x20-\x7e]{1,255}$/;

/** The header of requests that a client may repeat: the same key and body get the first answer again. */
export class IdempotencyHeaders {
  @TextField({
    description:
      'Names the request, so that it can be repeated: the same key with the same body gets the first answer.',
    example: 'topup-2026-11-23-1',
    maxLength: 255,
    pattern: [FORM, 'must have 1 to 255 printable ASCII characters'],
    optional: true,
  })
  'Idempotency-Key'?: string;
}

/** Parameter decorator for IdempotencyHeaders. Documents the 409 for a key that was used for another request. */
export const Idempotency = (): ParameterDecorator => (target, method, index) => {
  RequestHeaders(IdempotencyHeaders)(target, method, index);
  const descriptor = Object.getOwnPropertyDescriptor(target, method!)!;
  const description = 'The idempotency key was used for another request.';
  ApiConflictResponse({ description })(target, method!, descriptor);
};
