import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { type FieldOptions } from './field';
import { TextField } from './text-field';

/** The longest e-mail address that can receive mail. */
export const MAX_EMAIL_LENGTH = 254;

/** An address that people use: unquoted ASCII before the @, and a host name with a top-level domain after it. */
export const EMAIL =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z]{2,}$/;

export const inLowerCase = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.toLowerCase() : value));

/** An e-mail address. The DTO holds it as it is stored: in lower case, without surrounding spaces. */
export const EmailField = (options: FieldOptions): PropertyDecorator =>
  applyDecorators(
    inLowerCase(),
    TextField({
      example: 'ann@example.com',
      ...options,
      maxLength: MAX_EMAIL_LENGTH,
      trim: true,
      format: 'email',
      pattern: [EMAIL, 'must be an e-mail address'],
    }),
  );
