import { type Currency } from '@inference/config';
import { ChoiceField, CurrencyProperty, InstantProperty, MoneyProperty } from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { MarginFiguresResponse } from './margin.dto';

export const PERIODS = ['today', '7d', '30d', '90d'] as const;
export type PeriodName = (typeof PERIODS)[number];

export class DashboardQuery {
  @ChoiceField(PERIODS, {
    description:
      'Whole days of UTC up to now: the present day alone, or with the 6, 29 or 89 days before it.',
    example: '7d',
    optional: true,
    default: 'today',
  })
  period: PeriodName = 'today';
}

const Count = (description: string, isNullable = false) =>
  ApiProperty({ description, type: 'integer', ...(isNullable && { nullable: true }), example: 120 });

/** What a period amounted to. */
export class DashboardFiguresResponse {
  @InstantProperty({ description: 'Start of the period, the start of a day of UTC.' })
  from!: string;

  @InstantProperty({ description: 'End of the period, excluded; the end of an hour.' })
  to!: string;

  @MoneyProperty({ description: 'What the usage cost the accounts, in `currency`.', example: 1234.56 })
  revenue!: ExactNumber;

  @Count(
    'Calls that were served and charged, wholly or in part; null if some were settled by a version that did not count them.',
    true,
  )
  calls!: bigint | null;

  @Count('Their tokens.')
  tokens!: bigint;

  @Count('Calls that failed, as far as the log has them; null if it does not have each day.', true)
  failed_calls!: bigint | null;

  @Count('Calls that were refused, as far as the log has them; null if it does not have each day.', true)
  refused_calls!: bigint | null;

  @Count('Accounts with usage.')
  active_accounts!: bigint;

  @Count('Accounts that were made.')
  new_accounts!: bigint;

  @Count('Payments, begun in the period, that failed. Those that nobody paid are not counted.')
  failed_payments!: bigint;

  @ApiProperty({
    description:
      'Mean time of a served call in milliseconds: of the last hour for `today`, and otherwise of the whole days of the period that have ended. Null without a call.',
    type: Number,
    nullable: true,
    example: 830.5,
  })
  mean_duration_ms!: number | null;
}

export class TopModelResponse {
  @ApiProperty({ description: 'The slug of the model.', example: 'demo-model' })
  model!: string;

  @MoneyProperty({ description: 'What its usage cost, in `currency`.', example: 12.5 })
  revenue!: ExactNumber;

  @Count('Its calls; null if some were settled by a version that did not count them.', true)
  calls!: bigint | null;

  @Count('Its tokens.')
  tokens!: bigint;
}

export class TopAccountResponse {
  @ApiProperty({ description: 'The id of the account.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  account_id!: string;

  @MoneyProperty({ description: 'What its usage cost, in `currency`.', example: 12.5 })
  revenue!: ExactNumber;
}

/** How the upstreams are now. */
export class DashboardUpstreamsResponse {
  @Count('Active ones that each gateway reaches.')
  up!: number;

  @Count('Active ones that a gateway does not reach.')
  down!: number;

  @Count('Active ones of which no gateway has reported.')
  unknown!: number;

  @Count('Those that get no new calls.')
  draining!: number;

  @Count('Those that are switched off.')
  off!: number;

  @ApiProperty({
    description: 'Models that no upstream answers now, without retired ones.',
    type: [String],
    example: ['demo-model'],
  })
  models_without_upstream!: string[];
}

export class DashboardResponse {
  @CurrencyProperty()
  currency!: Currency;

  @ApiProperty({ description: 'The period.', type: DashboardFiguresResponse })
  current!: DashboardFiguresResponse;

  @ApiProperty({
    description: 'The period of as many days before it, up to the same hour.',
    type: DashboardFiguresResponse,
  })
  before!: DashboardFiguresResponse;

  @ApiProperty({
    description:
      'What is left of the period when the upstreams are paid, as the report of the margin has it.',
    type: MarginFiguresResponse,
  })
  margin!: MarginFiguresResponse;

  @ApiProperty({
    description: 'How the upstreams are now, as `GET /api/admin/health` has it; null if that is not known.',
    type: DashboardUpstreamsResponse,
    nullable: true,
  })
  upstreams!: DashboardUpstreamsResponse | null;

  @ApiProperty({
    description: 'The five models with the highest cost in the period.',
    type: [TopModelResponse],
  })
  top_models!: TopModelResponse[];

  @ApiProperty({
    description: 'The five accounts with the highest cost in the period.',
    type: [TopAccountResponse],
  })
  top_accounts!: TopAccountResponse[];
}
