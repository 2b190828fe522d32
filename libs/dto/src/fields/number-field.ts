import { Transform } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';
import { field, type FieldOptions } from './field';

export interface IntegerOptions extends FieldOptions {
  min: number;
  max: number;
}

const DIGITS = /^\d{1,16}$/;

/** A whole number of a JSON body. A text is not converted. */
export function IntegerField(options: IntegerOptions): PropertyDecorator {
  const { min, max } = options;
  const message = `must be a whole number from ${min} to ${max}`;
  return field(
    options,
    { type: 'integer', minimum: min, maximum: max },
    IsInt({ message }),
    Min(min, { message }),
    Max(max, { message }),
  );
}

/** A whole number of a query or a path, which arrives as text. */
export function IntegerParameter(options: IntegerOptions): PropertyDecorator {
  const fromText = Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && DIGITS.test(value) ? Number(value) : value,
  );
  const asInteger = IntegerField(options);
  return (target, property) => {
    fromText(target, property);
    asInteger(target, property);
  };
}
