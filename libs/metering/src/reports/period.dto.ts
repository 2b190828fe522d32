import { InstantField, TimeZoneField } from '@inference/dto';
import { type InstantMicros } from '@inference/time';

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
