import { type Currency } from '@inference/config';
import { ChoiceField, InstantField, InstantProperty, MoneyProperty, TimeZoneField } from '@inference/dto';
import { PRICE_UNITS, type PriceUnit } from '@inference/metering';
import { type ExactNumber } from '@inference/money';
import { type InstantMicros } from '@inference/time';
import { ApiProperty } from '@nestjs/swagger';

const GRANULARITIES = ['day', 'hour'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

export class UsageQuery {
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

  @ChoiceField(GRANULARITIES, {
    description: 'The length of a bucket. By the hour, at most 366 days can be asked for at once.',
    optional: true,
    default: 'day',
  })
  granularity: Granularity = 'day';

  @TimeZoneField({
    description:
      'The IANA time zone of the days, of a `from` or `to` that is a date, and of the default of `from`. By the day, it must be whole hours from UTC.',
    optional: true,
    default: 'UTC',
  })
  time_zone: string = 'UTC';
}

/** Spec: Usage row. */
export class UsageRowResponse {
  @InstantProperty({
    description: 'Start of the bucket: of the day in the requested time zone, or of the hour, in UTC.',
    example: '2026-01-31T00:00:00.000Z',
  })
  timestamp!: string;

  @ApiProperty({ description: 'Slug of the model.', example: 'sandbox-chat' })
  model!: string;

  @ApiProperty({
    description: 'Consumption in the unit, exact: 0.001234 for 1,234 tokens at per_million_tokens.',
    type: Number,
    example: 0.001234,
  })
  quantity!: ExactNumber;

  @ApiProperty({ description: 'The unit of price and quantity.', enum: PRICE_UNITS })
  unit!: PriceUnit;

  @MoneyProperty({ description: 'Cost in the currency.', example: 0.002468 })
  cost!: ExactNumber;

  @ApiProperty({ description: 'The currency of the site.', enum: ['USD', 'CNY'] })
  currency!: Currency;
}

export class UsageResponse {
  @ApiProperty({
    description:
      'One row per bucket, model and unit, sorted by these. A reader can go on from the timestamp of the last row.',
    type: [UsageRowResponse],
  })
  usage!: UsageRowResponse[];
}
