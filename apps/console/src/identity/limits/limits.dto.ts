import { IntegerField, InstantField, InstantProperty, LineField } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { SlugField } from '../../validation/slug-field.decorator';

const NAMES = ['requests_per_minute', 'tokens_per_minute', 'tokens_per_day', 'concurrency'] as const;
export type LimitName = (typeof NAMES)[number];

class TierResponse {
  @ApiProperty({ description: 'Its name.', example: 'Tier 1' })
  name!: string;

  @ApiProperty({ description: 'What an account must have paid for it, in the site’s currency.', example: 5 })
  paid!: number;

  @ApiProperty({ description: 'For how many days an account must exist for it.', example: 7 })
  age_days!: number;
}

export class LimitResponse {
  @ApiProperty({
    description: 'Whether the account is limited, for each model by itself, or a key.',
    enum: ['account', 'key'],
    example: 'account',
  })
  scope!: 'account' | 'key';

  @ApiProperty({
    description: 'The model; `*` for each model that is not listed. Null for a key.',
    type: String,
    nullable: true,
    example: 'sandbox-chat',
  })
  model!: string | null;

  @ApiProperty({
    description: 'The id of the key; null for the account.',
    type: String,
    nullable: true,
    example: 'key_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  api_key_id!: string | null;

  @ApiProperty({ description: 'What is limited.', enum: NAMES, example: 'requests_per_minute' })
  name!: LimitName;

  @ApiProperty({ description: 'The most.', type: 'integer', example: 600 })
  limit!: number;

  @ApiProperty({
    description:
      'What counts against it now: of the last minute, of the day (UTC), or what runs; with what gateways have set aside for the next seconds.',
    type: 'integer',
    example: 42,
  })
  used!: number;

  @ApiProperty({ description: 'Whether staff has set it for this account.' })
  set_by_staff!: boolean;
}

export class LimitsResponse {
  @ApiProperty({
    description: 'The tier of the account; null at a site without tiers.',
    type: TierResponse,
    nullable: true,
  })
  tier!: TierResponse | null;

  @ApiProperty({
    description: 'The next tier; null if there is none. The account rises by itself.',
    type: TierResponse,
    nullable: true,
  })
  next_tier!: TierResponse | null;

  @ApiProperty({ description: 'What the account has paid in all, in the site’s currency.', example: 20 })
  paid!: number;

  @ApiProperty({ description: 'For how many whole days the account exists.', type: 'integer', example: 12 })
  age_days!: number;

  @ApiProperty({ description: 'The limits that apply. A request has to keep to all.', type: [LimitResponse] })
  limits!: LimitResponse[];
}

export class OverrideResponse {
  @ApiProperty({ description: 'The model; `*` for each model that has no limits of its own.', example: '*' })
  model!: string;

  @ApiProperty({ description: 'Requests a minute; null: no limit.', type: 'integer', nullable: true })
  rpm!: number | null;

  @ApiProperty({ description: 'Tokens a minute; null: no limit.', type: 'integer', nullable: true })
  tpm!: number | null;

  @ApiProperty({ description: 'Tokens a day; null: no limit.', type: 'integer', nullable: true })
  tpd!: number | null;

  @ApiProperty({ description: 'Requests at a time; null: no limit.', type: 'integer', nullable: true })
  max_concurrency!: number | null;

  @ApiProperty({ description: 'Why staff has set it.', example: 'Launch week' })
  reason!: string;

  @ApiProperty({ description: 'The account of the member of staff.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  set_by!: string;

  @InstantProperty({ description: 'When it was set.' })
  set_at!: string;

  @InstantProperty({ description: 'When it ends; null: until staff removes it.', nullable: true })
  ends_at!: string | null;
}

/** The limits of an account as staff sees them. */
export class AccountLimitsResponse extends LimitsResponse {
  @ApiProperty({ description: 'What staff has set in place of the tier.', type: [OverrideResponse] })
  overrides!: OverrideResponse[];
}

const MAX_LIMIT = 1_000_000_000;
const MAX_DAY_LIMIT = 1_000_000_000_000;

const LimitField = (description: string, max = MAX_LIMIT): PropertyDecorator =>
  IntegerField({
    description: `${description} Absent or null: no limit.`,
    example: 600,
    min: 1,
    max,
    optional: true,
    nullable: true,
  });

const ModelField = (): PropertyDecorator =>
  SlugField({
    description: 'The model; absent: each model that has no limits of its own.',
    example: 'sandbox-chat',
    optional: true,
  });

export class SetOverrideDto {
  @ModelField()
  model?: string;

  @LimitField('Requests a minute.')
  rpm?: number | null;

  @LimitField('Tokens a minute.')
  tpm?: number | null;

  @LimitField('Tokens a day (UTC).', MAX_DAY_LIMIT)
  tpd?: number | null;

  @LimitField('Requests at a time.')
  max_concurrency?: number | null;

  @LineField({ description: 'Why.', example: 'Launch week', maxLength: 500 })
  reason!: string;

  @InstantField({
    description: 'When the limits of the tier hold again. Absent or null: when staff removes this.',
    example: '2027-01-31T00:00:00Z',
    optional: true,
    nullable: true,
  })
  ends_at?: bigint | null;
}

export class OverrideQuery {
  @ModelField()
  model?: string;
}
