import { field, type FieldOptions } from '@inference/dto';
import { INSTANT_FORM, instantText, parseInstant } from '@inference/time';
import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';

/** A date alone is refused. */
const toMicros = (text: string) => (/t/i.test(text) ? parseInstant(text) : null);

function faultOf(value: unknown): string | null {
  if (!(value instanceof Date)) return INSTANT_FORM;
  if (value.getTime() < 0) return 'must not be before 1970';
  return value.getTime() <= Date.now() ? null : 'must not be in the future';
}

function toDate(value: unknown): unknown {
  const micros = typeof value === 'string' ? toMicros(value) : null;
  return micros === null ? value : new Date(instantText(micros));
}

/** A time from 1970 until now. The DTO holds a Date: fractions of a millisecond are cut off. */
export function PastInstantField(options: FieldOptions): PropertyDecorator {
  return field(
    { example: '2026-01-31T12:30:00Z', ...options },
    { type: 'string', format: 'date-time' },
    Transform(({ value }: { value: unknown }) => toDate(value)),
    ValidateBy({
      name: 'isPastInstant',
      validator: {
        validate: (value: unknown) => faultOf(value) === null,
        defaultMessage: (checked?: ValidationArguments) => faultOf(checked?.value) ?? '',
      },
    }),
  );
}

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
