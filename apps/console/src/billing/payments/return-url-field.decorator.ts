import { applyDecorators } from '@nestjs/common';
import { type FieldOptions, TextField } from '@inference/dto';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/** All providers accept 2,000 characters, and no return page needs more. */
const MAX_URL_CHARS = 2_000;

const isHttpUrl = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

/** An address of a page. The DTO holds the normalized spelling, which is the only one that providers accept. */
export const ReturnUrlField = (options: FieldOptions): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (isHttpUrl(value) ? new URL(value).href : value)),
    TextField({ ...options, maxLength: MAX_URL_CHARS, format: 'uri' }),
    ValidateBy({
      name: 'isHttpUrl',
      validator: {
        validate: isHttpUrl,
        defaultMessage: () => 'must be a URL starting with http:// or https://',
      },
    }),
  );
