import { type Currency } from '@inference/config';
import { CurrencyProperty, MoneyProperty } from '@inference/dto';
import { PeriodQuery } from '@inference/metering';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';

export class ProofQuery extends PeriodQuery {}

export const ROUTER_COST_STATES = ['compared', 'not_configured', 'unavailable'] as const;
export type RouterCostState = (typeof ROUTER_COST_STATES)[number];

const BOUND = { type: String, format: 'date-time', nullable: true } as const;

export class ProofResponse {
  @ApiProperty({
    ...BOUND,
    description:
      'Start of the first hour that is compared, in UTC. Null if no hour of the period is closed; the sums that are compared are 0 then.',
    example: '2026-01-01T00:00:00.000Z',
  })
  from!: string | null;

  @ApiProperty({
    ...BOUND,
    description: 'End of the last hour that is compared, in UTC, excluded. Null if `from` is.',
    example: '2026-02-01T00:00:00.000Z',
  })
  to!: string | null;

  @CurrencyProperty({ description: 'The currency of `usage` and `transactions`.' })
  currency!: Currency;

  @MoneyProperty({
    description: 'Cost of the usage of these hours, as `GET /api/billing/usage` reports it.',
    example: 0.002468,
  })
  usage!: ExactNumber;

  @MoneyProperty({
    description:
      'Cost of the usage of the period that is not compared: of hours that are not closed yet, and of parts of hours at its ends. `usage` and this are together what `GET /api/billing/usage` reports for the period.',
    example: 0.000014,
  })
  uncompared_usage!: ExactNumber;

  @MoneyProperty({
    description: 'What the ledger has deducted from the wallet for usage.',
    example: 0.002468,
  })
  transactions!: ExactNumber;

  @MoneyProperty({ description: '`transactions` − `usage`; 0 if they agree.', example: 0 })
  transactions_difference!: ExactNumber;

  @MoneyProperty({
    description:
      'The same usage in USD, with which `router_cost_usd` is compared. At `intl` it is `usage`. At `cn` it is the sum of the USD costs that were stored with the calls, at the exchange rates of that time.',
    example: 0.002468,
  })
  usage_usd!: ExactNumber;

  @ApiProperty({
    description:
      'Whether the router-cost service was asked: `compared`; `not_configured`: this site does not ask it; `unavailable`: it gave no usable answer.',
    enum: ROUTER_COST_STATES,
  })
  router_cost_state!: RouterCostState;

  @MoneyProperty({
    description:
      'Cost in USD as the router-cost service reports it. Null unless `router_cost_state` is `compared`.',
    nullable: true,
    example: 0.002468,
  })
  router_cost_usd!: ExactNumber | null;

  @MoneyProperty({
    description: '`router_cost_usd` − `usage_usd`; 0 if they agree, null if there is nothing to compare.',
    nullable: true,
    example: 0,
  })
  router_cost_difference_usd!: ExactNumber | null;
}
