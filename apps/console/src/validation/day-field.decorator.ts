import { field, type FieldOptions } from '@inference/dto';
import { parseInstant } from '@inference/time';
import { ValidateBy } from 'class-validator';

const DAY = /^\d{4}-\d\d-\d\d$/;

function isDay(value: unknown): boolean {
  const start = typeof value === 'string' && DAY.test(value) ? parseInstant(value) : null;
  return start !== null && start >= 0n;
}

/** A day in UTC, from 1970 on: `2026-01-31`. */
export const DayField = (options: FieldOptions): PropertyDecorator =>
  field(
    { example: '2026-01-31', ...options },
    { type: 'string', format: 'date' },
    ValidateBy({
      name: 'isDay',
      validator: {
        validate: isDay,
        defaultMessage: () => 'must be a date from 1970 on, like 2026-01-31',
      },
    }),
  );
