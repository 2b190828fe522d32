import { parseInstant } from '@inference/time';
import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { field, type FieldOptions } from './field';

/** A point in time (RFC 3339). The DTO holds microseconds since 1970 as bigint. */
export function InstantField(options: FieldOptions): PropertyDecorator {
  const asMicros = Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? (parseInstant(value) ?? value) : value,
  );
  const isInstant = ValidateBy({
    name: 'isInstant',
    validator: {
      validate: (value: unknown) => typeof value === 'bigint',
      defaultMessage: (arguments_?: ValidationArguments) =>
        Array.isArray(arguments_?.value)
          ? 'must be given once'
          : 'must be a time of RFC 3339, like 2026-01-31T00:00:00Z',
    },
  });
  return field(
    { example: '2026-01-31T00:00:00Z', ...options },
    { type: 'string', format: 'date-time' },
    asMicros,
    isInstant,
  );
}
