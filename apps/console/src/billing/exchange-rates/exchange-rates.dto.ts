import { MoneyProperty, NextCursorProperty, ObjectListField, TextField } from '@inference/dto';
import { RATE_DIGITS } from '@inference/metering';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { AmountField } from '../../validation/amount-field.decorator';
import { DayField } from '../../validation/time-fields.decorator';

const MAX_RATE = 1_000_000;
const MAX_DAYS = 1_000;

export class ExchangeRateDto {
  @DayField({ description: 'The UTC day from which the rate applies, until the next stored day.' })
  date!: string;

  @AmountField({
    description: `USD for one unit of the site’s currency, with at most ${RATE_DIGITS} decimals; a text for more digits than a JSON number keeps.`,
    example: 0.1389,
    decimals: RATE_DIGITS,
    max: MAX_RATE,
    rule: [(rate) => rate > 0n, 'must be positive'],
  })
  usd_per_unit!: bigint;
}

/** Passes what is no list of rates: other constraints refuse it. */
function namesEachDayOnce(rates: unknown): boolean {
  if (!Array.isArray(rates)) return true;
  const days = rates.map((rate: Partial<ExchangeRateDto> | null) => rate?.date ?? Symbol());
  return new Set(days).size === days.length;
}

export class PublishExchangeRatesDto {
  @ObjectListField(() => ExchangeRateDto, {
    description: 'The rates, each day once.',
    minItems: 1,
    maxItems: MAX_DAYS,
  })
  @ValidateBy({
    name: 'namesEachDayOnce',
    validator: { validate: namesEachDayOnce, defaultMessage: () => 'must name each day once' },
  })
  rates!: ExchangeRateDto[];
}

export class PublishExchangeRatesQuery {
  @TextField({
    description:
      'The `version` of the rates on which the change is based. If others were stored meanwhile, nothing is stored. If absent, the rates are changed whichever they are.',
    example: '3f0c1a9b2d7e4f56a1b2c3d4e5f60718',
    optional: true,
    pattern: [/^[0-9a-f]{1,32}$/, 'must be a version of the rates'],
  })
  version?: string;
}

export class ExchangeRateResponse {
  @ApiProperty({
    description: 'The UTC day from which the rate applies.',
    format: 'date',
    example: '2026-01-31',
  })
  date!: string;

  @MoneyProperty({ description: 'USD for one unit of the site’s currency.', example: 0.1389 })
  usd_per_unit!: ExactNumber;
}

const VersionProperty = () =>
  ApiProperty({
    description: 'Differs whenever the rates differ; 0 without any rate.',
    example: '3f0c1a9b2d7e4f56a1b2c3d4e5f60718',
  });

export class ExchangeRateListResponse {
  @ApiProperty({ description: 'The rates that were stored.', type: [ExchangeRateResponse] })
  rates!: ExchangeRateResponse[];

  @VersionProperty()
  version!: string;
}

export class ExchangeRateHistoryResponse {
  @ApiProperty({
    description: 'The rate of today: that of the newest day until today, in UTC. Null if there is none.',
    type: ExchangeRateResponse,
    nullable: true,
  })
  current!: ExchangeRateResponse | null;

  @ApiProperty({
    description: 'Rates, newest day first, future days included.',
    type: [ExchangeRateResponse],
  })
  rates!: ExchangeRateResponse[];

  @VersionProperty()
  version!: string;

  @NextCursorProperty()
  next_cursor!: string | null;
}
