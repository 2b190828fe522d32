import { type Currency } from '@inference/config';
import { ChoiceField, CurrencyProperty, InstantProperty, MoneyProperty } from '@inference/dto';
import { PeriodQuery, PRICE_UNITS, type PriceUnit } from '@inference/metering';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';

const GRANULARITIES = ['day', 'hour'] as const;
type Granularity = (typeof GRANULARITIES)[number];

export class UsageQuery extends PeriodQuery {
  @ChoiceField(GRANULARITIES, {
    description:
      'The length of a bucket: a day in `time_zone`, or an hour of UTC. By the hour, at most 366 days can be asked for at once.',
    optional: true,
    default: 'day',
  })
  granularity: Granularity = 'day';
}

/** Spec: Usage row. */
export class UsageRowResponse {
  @InstantProperty({
    description: 'Start of the bucket, in UTC: of the day in `time_zone`, or of the hour of UTC.',
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

  @CurrencyProperty()
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
