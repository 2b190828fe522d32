import { INSTANT_FORM, isTimeZone, parseInstant, TIME_ZONE_FORM } from '@inference/time';
import { Transform } from 'class-transformer';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { field, type FieldOptions } from './field';

export interface InstantOptions extends FieldOptions {
  /** The field with the time zone in which a date alone is the start of a day; in UTC without it. */
  zoneField?: string;
}

const messageFor = (form: string) => (checked?: ValidationArguments) =>
  Array.isArray(checked?.value) ? 'must be given once' : form;

/** A point in time (RFC 3339). The DTO holds microseconds since 1970 as bigint. */
export function InstantField({ zoneField, ...options }: InstantOptions): PropertyDecorator {
  const zoneOf = (sent: Record<string, unknown>): string => {
    const zone = zoneField === undefined ? undefined : sent[zoneField];
    return typeof zone === 'string' && isTimeZone(zone) ? zone : 'UTC';
  };
  const asMicros = Transform(({ value, obj }: { value: unknown; obj: Record<string, unknown> }) =>
    typeof value === 'string' ? (parseInstant(value, zoneOf(obj)) ?? value) : value,
  );
  const isInstant = ValidateBy({
    name: 'isInstant',
    validator: {
      validate: (value: unknown) => typeof value === 'bigint',
      defaultMessage: messageFor(INSTANT_FORM),
    },
  });
  return field(
    { example: '2026-01-31T00:00:00Z', ...options },
    zoneField === undefined
      ? { type: 'string', format: 'date-time' }
      : { type: 'string', anyOf: [{ format: 'date-time' }, { format: 'date' }] },
    asMicros,
    isInstant,
  );
}

const TIME_ZONE_NAMES =
  'A name or link of the IANA time zone database in upper or lower case, such as `Asia/Kolkata` or `Japan`. Offsets, and names of three letters other than UTC and GMT, are refused.';

/** An IANA time zone, such as `Asia/Shanghai`. */
export function TimeZoneField({ description, ...options }: FieldOptions): PropertyDecorator {
  return field(
    { example: 'Asia/Shanghai', description: `${description} ${TIME_ZONE_NAMES}`, ...options },
    { type: 'string' },
    ValidateBy({
      name: 'isTimeZone',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && isTimeZone(value),
        defaultMessage: messageFor(TIME_ZONE_FORM),
      },
    }),
  );
}
