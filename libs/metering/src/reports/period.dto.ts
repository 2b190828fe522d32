import { field, type FieldOptions, InstantField, TimeZoneField } from '@inference/dto';
import { type InstantMicros } from '@inference/time';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/** The query parameters of a report about a period. */
export class PeriodQuery {
  @InstantField({
    description:
      'Start of the period, included: a time, or a date, which is the start of that day in `time_zone`. The start of the current month in `time_zone` by default.',
    zoneField: 'time_zone',
    optional: true,
  })
  from?: InstantMicros;

  @InstantField({
    description: 'End of the period, excluded: a time or a date, as in `from`. Now by default.',
    example: '2026-02-01T00:00:00Z',
    zoneField: 'time_zone',
    optional: true,
  })
  to?: InstantMicros;

  @TimeZoneField({
    description: 'The time zone of a `from` or `to` that is a date, and of the default of `from`.',
    optional: true,
    default: 'UTC',
  })
  time_zone: string = 'UTC';
}

/** The dimensions that the text lists, or the text if it is no such list. */
function parse(text: string, dimensions: readonly string[]): string[] | string {
  if (text.trim() === '') return [];
  const names = text.split(',').map((name) => name.trim());
  const isList = names.every((name) => dimensions.includes(name)) && new Set(names).size === names.length;
  return isList ? names : text;
}

/** Comma-separated dimensions of a report, with or without spaces. A repeated parameter arrives as a list of texts. */
export function GroupByField(dimensions: readonly string[], options: FieldOptions): PropertyDecorator {
  const anyDimension = `(${dimensions.join('|')})`;
  return field(
    options,
    { type: 'string', pattern: `^ *(${anyDimension} *(, *${anyDimension} *)*)?$` },
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? parse(value, dimensions) : { repeated: value },
    ),
    ValidateBy({
      name: 'isGroupBy',
      validator: {
        validate: (value: unknown) => Array.isArray(value),
        defaultMessage: (checked) =>
          typeof checked?.value === 'string'
            ? `must list some of ${dimensions.join(', ')}, each at most once`
            : 'must be given once',
      },
    }),
  );
}
