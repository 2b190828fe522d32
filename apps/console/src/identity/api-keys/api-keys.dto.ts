import {
  BooleanField,
  ChoiceField,
  IdField,
  InstantField,
  InstantProperty,
  IntegerField,
  LineField,
  MoneyProperty,
  nameFault,
  TextField,
  TextListField,
} from '@inference/dto';
import { isNetwork, KEY_KINDS, type KeyKind, SPEND_PERIODS, type SpendPeriod } from '@inference/guards';
import { type ExactNumber } from '@inference/money';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Matches, ValidateBy } from 'class-validator';
import { AmountField, MONEY_BOUNDS } from '../../validation/amount-field.decorator';
import { SLUG, SLUG_MESSAGE } from '../../validation/slug-field.decorator';

/** An API key by which usage came. Deleted keys keep their name. */
export class ApiKeyReference {
  @ApiProperty({ description: 'Names the key in this API.', example: 'key_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'What the key is for.', example: 'production' })
  name!: string;

  @ApiProperty({ description: 'The first characters of the secret.', example: 'bfvk-3kZ8dQ' })
  prefix!: string;
}

const withoutRepeats = ({ value }: { value: unknown }): unknown =>
  Array.isArray(value) ? [...new Set(value)] : value;

/** A slug, or the beginning of slugs followed by `*`. */
const MODEL_PATTERN = new RegExp(`^(?:${SLUG.source.slice(1, -1)}|[A-Za-z0-9._~/@:+-]{0,199}\\*)$`);

const NAME = { description: 'What the key is for.', example: 'production', maxLength: 100 };

const REPORTS_COST =
  'Whether the answers of models tell their price: `cost` and `cost_details` in `usage`, or the header `X-Cost`.';

/** Largest limit of a minute: above what a site serves in a day. */
const MAX_PACE = 1_000_000_000;
const MAX_OVERLAP_SECONDS = 7 * 86_400;
const MAX_TAG_CHARS = 50;
/** Without surrounding spaces. */
const TAG = /^(?! )[^]{1,50}(?<! )$/u;

const KEY_KIND =
  '`api`: a program calls models with it. `management`: a program makes, lists, changes and rotates keys of kind `api` with it, and does nothing else; its limits of spending, models and pace are those of each key that it makes or changes.';

const SPEND_PERIOD =
  'For how long `spend_limit` counts: `total`, or each `day`, `week` (from Monday) or `month` of the account’s `time_zone`. A call counts in the period in which it ends.';
const DISABLED = 'A disabled key is refused with 401 and the code `api_key_disabled` until it is enabled.';

const SpendLimitField = (description: string): PropertyDecorator =>
  AmountField({
    ...MONEY_BOUNDS,
    description,
    example: 25,
    rule: [(picos) => picos > 0n, 'must be positive'],
    optional: true,
    nullable: true,
  });

const AllowedModelsField = (description: string): PropertyDecorator =>
  applyDecorators(
    Transform(withoutRepeats),
    TextListField(
      {
        description,
        example: ['sandbox-chat'],
        minItems: 1,
        maxItems: 1_000,
        optional: true,
        nullable: true,
      },
      { pattern: MODEL_PATTERN.source },
      Matches(MODEL_PATTERN, { each: true, message: `${SLUG_MESSAGE}, and may end with *` }),
    ),
  );

const AllowedIpsField = (): PropertyDecorator =>
  applyDecorators(
    Transform(withoutRepeats),
    TextListField(
      {
        description:
          'IP addresses and networks (CIDR) from which the key may be used; elsewhere it is refused with 403 and the code `ip_not_allowed`. Null: everywhere.',
        example: ['203.0.113.0/24', '2001:db8::/32'],
        minItems: 1,
        maxItems: 100,
        optional: true,
        nullable: true,
      },
      { maxLength: 49 },
      ValidateBy(
        {
          name: 'isNetwork',
          validator: {
            validate: (value: unknown) => typeof value === 'string' && isNetwork(value),
            defaultMessage: () => 'must be IP addresses or networks such as 203.0.113.0/24',
          },
        },
        { each: true },
      ),
    ),
  );

const TagsField = (): PropertyDecorator =>
  applyDecorators(
    Transform(withoutRepeats),
    TextListField(
      {
        description: 'Words by which people find the key.',
        example: ['nightly'],
        maxItems: 20,
        optional: true,
      },
      { minLength: 1, maxLength: MAX_TAG_CHARS },
      ValidateBy(
        {
          name: 'isTag',
          validator: {
            validate: (value: unknown) =>
              typeof value === 'string' && TAG.test(value) && nameFault(value) === null,
            defaultMessage: () =>
              `must have 1 to ${MAX_TAG_CHARS} characters, without surrounding spaces and invisible characters`,
          },
        },
        { each: true },
      ),
    ),
  );

const DescriptionField = (): PropertyDecorator =>
  TextField({
    description: 'Notes for people.',
    example: 'Used by the nightly report.',
    minLength: 0,
    maxLength: 500,
    trim: true,
    optional: true,
  });

const ExpiresAtField = (description: string): PropertyDecorator =>
  InstantField({ description, example: '2027-01-31T00:00:00Z', optional: true, nullable: true });

const PaceField = (description: string): PropertyDecorator =>
  IntegerField({ description, example: 600, min: 1, max: MAX_PACE, optional: true, nullable: true });

/** What may be said of a key when it is made and later. An absent field does not change. */
class KeySettings {
  @DescriptionField()
  description?: string;

  @TagsField()
  tags?: string[];

  @BooleanField({ description: DISABLED, optional: true })
  disabled?: boolean;

  @ExpiresAtField(
    'From then on the key is refused with 401 and the code `api_key_expired`. Its owner gets a mail seven days and one day before. Null: never.',
  )
  expires_at?: bigint | null;

  @AllowedIpsField()
  allowed_ips?: string[] | null;

  @ChoiceField(SPEND_PERIODS, { description: SPEND_PERIOD, example: 'month', optional: true })
  period?: SpendPeriod;

  @PaceField('Most requests to models in any minute. Null: no limit of the key’s own.')
  rpm?: number | null;

  @PaceField('Most tokens in any minute, as requests are admitted. Null: no limit of the key’s own.')
  tpm?: number | null;

  @PaceField('Most requests to models that run at a time. Null: no limit of the key’s own.')
  max_concurrency?: number | null;
}

export class CreateApiKeyDto extends KeySettings {
  @ChoiceField(KEY_KINDS, {
    description: `${KEY_KIND} Absent: \`api\`. Only a session makes management keys.`,
    example: 'api',
    optional: true,
  })
  kind?: KeyKind;

  @LineField(NAME)
  name!: string;

  @SpendLimitField(
    'Most that the key may spend in all, or in each `period`, in the site’s currency. Absent or null: no limit.',
  )
  spend_limit?: bigint | null;

  @AllowedModelsField(
    'Slugs of the models that the key may call; `vendor/*` allows all slugs that begin with `vendor/`. Absent or null: all models.',
  )
  allowed_models?: string[] | null;

  @BooleanField({
    // Without `default`, by which generated clients would take the field for required.
    description: `${REPORTS_COST} True if absent; false is for clients that refuse unknown fields.`,
    optional: true,
  })
  reports_cost: boolean = true;
}

/** An absent field does not change. */
export class UpdateApiKeyDto extends KeySettings {
  @LineField({ ...NAME, optional: true })
  name?: string;

  @SpendLimitField(
    'Most that the key may spend in all, or in each `period`, in the site’s currency: what it has spent already counts. Null: no limit.',
  )
  spend_limit?: bigint | null;

  @AllowedModelsField(
    'Slugs of the models that the key may call; `vendor/*` allows all slugs that begin with `vendor/`. Null: all models.',
  )
  allowed_models?: string[] | null;

  @BooleanField({ description: REPORTS_COST, optional: true })
  reports_cost?: boolean;
}

export class RotateApiKeyDto {
  @IntegerField({
    description: 'For how many seconds the former secret works on, up to seven days.',
    example: 86_400,
    min: 0,
    max: MAX_OVERLAP_SECONDS,
    optional: true,
    default: 0,
  })
  overlap_seconds: number = 0;
}

export class ApiKeyPath {
  @IdField({ description: 'The id of the key.', noun: 'API key', prefix: 'key' })
  id!: string;
}

/** That the operator has shut out a key. */
export class ApiKeySuspension {
  @InstantProperty({ description: 'Since when calls with the key are refused.' })
  suspended_at!: string;

  @ApiProperty({
    description: 'What the operator says about it; null: nothing.',
    type: String,
    nullable: true,
    example: 'The key was published in a repository. Delete it and make another one.',
  })
  message!: string | null;
}

const MAKERS = ['person', 'management_key'] as const;

/** Who made a key or its secret. */
export class KeyMaker {
  @ApiProperty({ description: 'Whether a person or a program did it.', enum: MAKERS, example: 'person' })
  kind!: (typeof MAKERS)[number];

  @ApiProperty({
    description: 'The id of the account, or of the management key, which may be deleted.',
    example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  id!: string;

  @ApiProperty({
    description: 'The name of the management key; null for a person.',
    type: String,
    nullable: true,
    example: null,
  })
  name!: string | null;
}

const STATUSES = ['active', 'disabled', 'expired'] as const;

/** A key without its secret. */
export class ApiKeyResponse {
  @ApiProperty({ description: 'Names the key in this API.', example: 'key_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: KEY_KIND, enum: KEY_KINDS, example: 'api' })
  kind!: KeyKind;

  @ApiProperty({ description: 'What the key is for.', example: 'production' })
  name!: string;

  @ApiProperty({ description: 'The first characters of the secret.', example: 'bfvk-3kZ8dQ' })
  prefix!: string;

  @InstantProperty({ description: 'When the key was made.' })
  created_at!: string;

  @ApiProperty({ description: 'Who made the key.', type: KeyMaker })
  created_by!: KeyMaker;

  @InstantProperty({ description: 'When its secret was replaced last; null: never.', nullable: true })
  rotated_at!: string | null;

  @ApiProperty({
    description: 'Who replaced its secret last; null: nobody.',
    type: KeyMaker,
    nullable: true,
  })
  rotated_by!: KeyMaker | null;

  @InstantProperty({ description: 'The last call with the key, accurate to ten seconds.', nullable: true })
  last_used_at!: string | null;

  @ApiProperty({ description: 'Notes for people.', example: 'Used by the nightly report.' })
  description!: string;

  @ApiProperty({ description: 'Words by which people find the key.', type: [String], example: ['nightly'] })
  tags!: string[];

  @ApiProperty({ description: 'Whether the key works.', enum: STATUSES, example: 'active' })
  status!: (typeof STATUSES)[number];

  @ApiProperty({ description: DISABLED })
  disabled!: boolean;

  @InstantProperty({ description: 'When the key expires; null: never.', nullable: true })
  expires_at!: string | null;

  @InstantProperty({
    description: 'Until when the secret works that a rotation has replaced; null: there is none.',
    nullable: true,
  })
  former_secret_ends_at!: string | null;

  @ApiProperty({ description: 'Whether nobody has used the key for 90 days.' })
  unused!: boolean;

  @ApiProperty({
    description: 'IP addresses and networks from which the key may be used; null: everywhere.',
    type: [String],
    nullable: true,
  })
  allowed_ips!: string[] | null;

  @ApiProperty({
    description: 'Most requests to models in any minute; null: no limit of the key’s own.',
    type: 'integer',
    nullable: true,
  })
  rpm!: number | null;

  @ApiProperty({
    description: 'Most tokens in any minute; null: no limit of the key’s own.',
    type: 'integer',
    nullable: true,
  })
  tpm!: number | null;

  @ApiProperty({
    description: 'Most requests to models that run at a time; null: no limit of the key’s own.',
    type: 'integer',
    nullable: true,
  })
  max_concurrency!: number | null;

  @MoneyProperty({
    description: 'Most that the key may spend, in the site’s currency; null: no limit.',
    nullable: true,
    example: 25,
  })
  spend_limit!: ExactNumber | null;

  @ApiProperty({ description: SPEND_PERIOD, enum: SPEND_PERIODS, example: 'month' })
  period!: SpendPeriod;

  @ApiProperty({
    description: 'Slugs of the models that the key may call, or their beginnings followed by `*`; null: all.',
    type: [String],
    nullable: true,
  })
  allowed_models!: string[] | null;

  @ApiProperty({ description: REPORTS_COST })
  reports_cost!: boolean;

  @ApiProperty({
    description: 'Since when and why the operator refuses it; null: it is not suspended.',
    type: ApiKeySuspension,
    nullable: true,
  })
  suspension!: ApiKeySuspension | null;

  @MoneyProperty({
    description: 'What the key has spent in all, in the site’s currency.',
    example: 1.25,
  })
  spent!: ExactNumber;

  @MoneyProperty({
    description: 'What the key has spent in the `period` that runs, as `spend_limit` counts it.',
    example: 0.75,
  })
  spent_in_period!: ExactNumber;

  @InstantProperty({ description: 'When the period ends; null for `total`.', nullable: true })
  period_ends_at!: string | null;

  @MoneyProperty({
    description: 'What the key has spent in the 30 days before now, in the site’s currency.',
    example: 0.5,
  })
  spent_30_days!: ExactNumber;
}

export class CreatedApiKeyResponse extends OmitType(ApiKeyResponse, [
  'last_used_at',
  'unused',
  'spent',
  'spent_in_period',
  'period_ends_at',
  'spent_30_days',
  'suspension',
]) {
  @ApiProperty({ description: 'The secret. It is shown only here.', example: 'bfvk-…' })
  key!: string;
}

export class ApiKeyListResponse {
  @ApiProperty({ description: 'The account’s keys, newest first.', type: [ApiKeyResponse] })
  api_keys!: ApiKeyResponse[];
}
