import { IntegerField, InstantField, InstantProperty, LineField } from '@inference/dto';
import { ApiProperty, PickType } from '@nestjs/swagger';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { SlugField } from '../../validation/slug-field.decorator';
import { DayField } from '../../validation/time-fields.decorator';

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

const DAY_MILLIS = 86_400_000;
const DEFAULT_DAYS = 30;
/** As many as are kept, and today. */
const MOST_DAYS = 93;

/** A range of UTC days; both ends are included. */
export interface HistoryDays {
  from: string;
  to: string;
}

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MILLIS).toISOString().slice(0, 10);

/** By default the last 30 days. */
export function historyDaysOf({ from, to }: Partial<HistoryDays>): HistoryDays {
  const last = to ?? new Date().toISOString().slice(0, 10);
  return { from: from ?? dayAfter(last, 1 - DEFAULT_DAYS), to: last };
}

const isDay = (value: unknown): boolean =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value));

/** Null also if one of them is no day, which its field tells. */
const rangeFaultOf = (from: string, query: LimitHistoryQuery): string | null => {
  if (!isDay(from) || (query.to !== undefined && !isDay(query.to))) return null;
  const { to } = historyDaysOf(query);
  if (from > to) return 'must not be after `to`';
  return from < dayAfter(to, 1 - MOST_DAYS) ? `must be at most ${MOST_DAYS - 1} days before \`to\`` : null;
};

const StartsRange = (): PropertyDecorator =>
  ValidateBy({
    name: 'startsRange',
    validator: {
      validate: (from: string, checked?: ValidationArguments) =>
        rangeFaultOf(from, checked!.object as LimitHistoryQuery) === null,
      defaultMessage: (checked?: ValidationArguments) =>
        rangeFaultOf(checked!.value as string, checked!.object as LimitHistoryQuery) ?? '',
    },
  });

export class LimitHistoryQuery {
  @StartsRange()
  @DayField({ description: 'First day, in UTC. By default 29 days before `to`.', optional: true })
  from?: string;

  @DayField({ description: 'Last day, in UTC, included. By default today.', optional: true })
  to?: string;
}

class LimitDayResponse {
  @ApiProperty({ description: 'The day, in UTC.', format: 'date', example: '2026-11-01' })
  day!: string;

  @ApiProperty({
    description: 'The limit at the time when the most was used; of a day the last one.',
    type: 'integer',
    example: 600,
  })
  limit!: number;

  @ApiProperty({
    description:
      'The most that counted against it at a time: in a minute, which is told in steps of five seconds; of the whole day; or of what ran. What is above the limit, since it fell or calls used more than was counted for them, is the whole limit. Of calls that ran at several gateways within five seconds it is the sum.',
    type: 'integer',
    example: 480,
  })
  used!: number;

  @ApiProperty({ description: 'Requests that it has refused.', type: 'integer', example: 12 })
  refusals!: number;
}

export class LimitHistoryLine extends PickType(LimitResponse, ['scope', 'model', 'api_key_id', 'name']) {
  @ApiProperty({
    description: 'The days on which there was use under the limit, the first one first.',
    type: [LimitDayResponse],
  })
  days!: LimitDayResponse[];
}

export class LimitHistoryResponse implements HistoryDays {
  @ApiProperty({ description: 'First day, in UTC.', format: 'date', example: '2026-11-01' })
  from!: string;

  @ApiProperty({ description: 'Last day, in UTC, included.', format: 'date', example: '2026-11-30' })
  to!: string;

  @ApiProperty({
    description: 'Each limit that was used, of the account by model before those of keys.',
    type: [LimitHistoryLine],
  })
  limits!: LimitHistoryLine[];
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
