import { BadRequestException, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';

const FORM = /^[\x20-\x7e]{1,255}$/;

/** The header `Idempotency-Key`, null when absent; 400 unless it has 1 to 255 printable ASCII characters. */
export const IdempotencyKey = createParamDecorator(
  (_data: unknown, context: ExecutionContext): string | null => {
    const key = context.switchToHttp().getRequest<Request>().get('Idempotency-Key');
    if (key === undefined) return null;
    if (FORM.test(key)) return key;
    throw new BadRequestException('Idempotency-Key: must have 1 to 255 printable ASCII characters');
  },
);
