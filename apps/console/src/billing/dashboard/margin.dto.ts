import { type Currency } from '@inference/config';
import { ChoiceField, CurrencyProperty, MoneyProperty } from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { DayField } from '../../validation/time-fields.decorator';
import { MARGIN_GROUPS, type MarginGroup } from './margin.repository';

export class MarginQuery {
  @DayField({
    description: 'The first day, of UTC. The first of the present month by default.',
    optional: true,
  })
  from?: string;

  @DayField({ description: 'The day after the last one. Tomorrow by default.', optional: true })
  to?: string;

  @ChoiceField(MARGIN_GROUPS, {
    description: 'What the rows are of.',
    example: 'upstream',
    optional: true,
    default: 'day',
  })
  group_by: MarginGroup = 'day';
}

export class MarginFiguresResponse {
  @ApiProperty({ description: 'Calls that were charged.', type: 'integer', example: 120 })
  calls!: bigint;

  @ApiProperty({
    description:
      'Those of them whose cost is not known, since their upstream had no cost price. They have no margin.',
    type: 'integer',
    example: 3,
  })
  calls_without_cost!: bigint;

  @MoneyProperty({ description: 'What all calls brought in.', example: 12.5 })
  revenue!: ExactNumber;

  @MoneyProperty({ description: 'The part of it that the calls without a cost brought in.', example: 0.5 })
  revenue_without_cost!: ExactNumber;

  @MoneyProperty({
    description: 'What the upstreams took, also for failed attempts and failed calls.',
    example: 8,
  })
  cost!: ExactNumber;

  @MoneyProperty({
    description:
      '`revenue` less `revenue_without_cost` and `cost`; null without a call whose cost is known, unless failed attempts cost something.',
    example: 4,
    nullable: true,
  })
  margin!: ExactNumber | null;

  @ApiProperty({
    description:
      '`margin` in percent of `revenue` less `revenue_without_cost`, to two decimals; null where that is 0.',
    type: Number,
    example: 33.33,
    nullable: true,
  })
  margin_percent!: number | null;
}

export class MarginRowResponse extends MarginFiguresResponse {
  @ApiProperty({
    description: 'The day, the slug of the model, the name of the upstream, or the id of the account.',
    example: '2026-11-29',
  })
  key!: string;
}

export class MarginReportResponse {
  @CurrencyProperty()
  currency!: Currency;

  @ApiProperty({ description: 'The first day.', format: 'date', example: '2026-11-01' })
  from!: string;

  @ApiProperty({ description: 'The day after the last one.', format: 'date', example: '2026-12-01' })
  to!: string;

  @ApiProperty({ description: 'All rows together.', type: MarginFiguresResponse })
  total!: MarginFiguresResponse;

  @ApiProperty({
    description: 'Days in order, everything else highest revenue first.',
    type: [MarginRowResponse],
  })
  rows!: MarginRowResponse[];
}
