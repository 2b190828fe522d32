import { type Currency } from '@inference/config';
import { ChoiceField, CurrencyProperty, InstantProperty, MoneyProperty } from '@inference/dto';
import {
  GRANULARITIES,
  type Granularity,
  GroupByField,
  PeriodQuery,
  PRICE_UNITS,
  type PriceUnit,
} from '@inference/metering';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { ApiKeyReference } from '../../identity/api-keys/api-keys.dto';
import { ApiKeyFilter, EntrypointFilter, ModelFilter } from '../../validation/call-filters.decorator';
import { USAGE_DIMENSIONS, type UsageDimension } from './usage.repository';

export class UsageQuery extends PeriodQuery {
  @ChoiceField(GRANULARITIES, {
    description:
      'The length of a bucket: a day or a month in `time_zone`, or an hour of UTC. By the hour, at most 366 days can be asked for at once.',
    optional: true,
    default: 'day',
  })
  granularity: Granularity = 'day';

  @GroupByField(USAGE_DIMENSIONS, {
    description:
      'Comma-separated dimensions, each at most once: model, api_key, entrypoint. If empty, there is one row per bucket and unit.',
    example: 'model,api_key',
    optional: true,
    default: 'model',
  })
  group_by: UsageDimension[] = ['model'];

  @ModelFilter()
  model?: string;

  @ApiKeyFilter()
  api_key_id?: string;

  @EntrypointFilter()
  entrypoint?: string;
}

export class CallCountsQuery extends PeriodQuery {
  @ModelFilter()
  model?: string;

  @ApiKeyFilter()
  api_key_id?: string;

  @EntrypointFilter()
  entrypoint?: string;
}

export class CallCountsResponse {
  @ApiProperty({
    description:
      'Calls that were served, wholly or in part. Null if it cannot be known any more, because the period has archived calls that nobody counted, or parts an archived hour; and if more than 2,000,000 calls of a version that did not count them would have to be counted.',
    type: 'integer',
    nullable: true,
    example: 1204,
  })
  charged!: bigint | null;

  @ApiProperty({
    description:
      'Calls that were refused, as far as the log has them. Null if the log has more than 2,000,000 calls of the period.',
    type: 'integer',
    nullable: true,
    example: 12,
  })
  refused!: bigint | null;

  @ApiProperty({
    description:
      'Calls that failed, as far as the log has them. Null if the log has more than 2,000,000 calls of the period.',
    type: 'integer',
    nullable: true,
    example: 1,
  })
  failed!: bigint | null;

  @InstantProperty({ description: 'Refused and failed calls before this time are not kept, nor counted.' })
  unserved_since!: string;
}

/** Spec: Usage row. */
export class UsageRowResponse {
  @InstantProperty({
    description: 'Start of the bucket, in UTC: of the day or month in `time_zone`, or of the hour of UTC.',
    example: '2026-01-31T00:00:00.000Z',
  })
  timestamp!: string;

  @ApiProperty({
    description: 'Slug of the model. Present when grouped by model, as it is by default.',
    required: false,
    example: 'sandbox-chat',
  })
  model?: string;

  @ApiProperty({
    description: 'The API key; null for calls without one. Present when grouped by api_key.',
    type: ApiKeyReference,
    nullable: true,
    required: false,
  })
  api_key?: ApiKeyReference | null;

  @ApiProperty({
    description: 'The way that the calls came. Present when grouped by entrypoint.',
    required: false,
    example: 'gateway',
  })
  entrypoint?: string;

  @ApiProperty({
    description:
      'Consumption in the unit, exact: 0.001234 for 1,234 tokens at per_million_tokens. Minutes to 12 decimals.',
    type: Number,
    example: 0.001234,
  })
  quantity!: ExactNumber;

  @ApiProperty({
    description:
      'The unit of price and quantity. What has no price of its own is counted in the unit of what it is a part of.',
    enum: PRICE_UNITS,
  })
  unit!: PriceUnit;

  @MoneyProperty({ description: 'Cost in the currency.', example: 0.002468 })
  cost!: ExactNumber;

  @CurrencyProperty()
  currency!: Currency;
}

export class UsageResponse {
  @ApiProperty({
    description:
      'One row per bucket, group and unit, sorted by these. A reader can go on from the timestamp of the last row.',
    type: [UsageRowResponse],
  })
  usage!: UsageRowResponse[];
}
