import { field, type FieldOptions } from '@inference/dto';
import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { parseStreamPosition, POSITION_FORM } from './stream-events/stream-event';

export interface PositionOptions extends FieldOptions {
  /** An empty text counts as absent. */
  mayBeEmpty?: boolean;
}

/** The id of a stream event. The DTO holds a StreamPosition. */
export function PositionField({ mayBeEmpty = false, ...options }: PositionOptions): PropertyDecorator {
  const asPosition = ({ value }: { value: unknown }) => {
    if (value === '' && mayBeEmpty) return undefined;
    return typeof value === 'string' ? (parseStreamPosition(value) ?? value) : value;
  };
  const isPosition = ValidateBy({
    name: 'isPosition',
    validator: {
      // A query has texts, and lists of them.
      validate: (value: unknown) => typeof value === 'object' && !Array.isArray(value),
      defaultMessage: (checked?: ValidationArguments) =>
        Array.isArray(checked?.value)
          ? 'must be given once'
          : 'must be the id of a stream event, such as 3.17',
    },
  });
  const pattern = mayBeEmpty ? `^$|${POSITION_FORM.source}` : POSITION_FORM.source;
  return field(
    { example: '3.17', ...options },
    { type: 'string', pattern },
    Transform(asPosition),
    isPosition,
  );
}
