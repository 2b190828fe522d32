import { InstantField, TimeZoneField } from '@inference/dto';
import { PageQuery } from '@inference/http';
import { type InstantMicros, instantText } from '@inference/time';
import { BadRequestException } from '@nestjs/common';

/** A page of what happened, or was made, in a time. */
export class TimeRangeQuery extends PageQuery {
  @InstantField({
    description:
      'From this time on: a time, or a date, which is the start of that day in `time_zone`. All by default.',
    zoneField: 'time_zone',
    optional: true,
  })
  from?: InstantMicros;

  @InstantField({
    description: 'Before this time: a time or a date, as in `from`.',
    example: '2026-02-01T00:00:00Z',
    zoneField: 'time_zone',
    optional: true,
  })
  to?: InstantMicros;

  @TimeZoneField({
    description: 'The time zone of a `from` or `to` that is a date.',
    optional: true,
    default: 'UTC',
  })
  time_zone: string = 'UTC';
}

/** The texts of a range of time, undefined where it is open. Throws 400 for one that is empty. */
export function rangeTexts({ from, to }: Pick<TimeRangeQuery, 'from' | 'to'>) {
  if (from !== undefined && to !== undefined && from >= to)
    throw new BadRequestException('from: must be before `to`');
  return {
    from: from === undefined ? undefined : instantText(from),
    to: to === undefined ? undefined : instantText(to),
  };
}
