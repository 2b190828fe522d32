import {
  BooleanField,
  IdField,
  InstantProperty,
  LineField,
  MoneyProperty,
  TextListField,
} from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Matches } from 'class-validator';
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

const NAME = { description: 'What the key is for.', example: 'production', maxLength: 100 };

const REPORTS_COST =
  'Whether the answers of models tell their price: `cost` and `cost_details` in `usage`, or the header `X-Cost`.';

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
      { pattern: SLUG.source },
      Matches(SLUG, { each: true, message: SLUG_MESSAGE }),
    ),
  );

export class CreateApiKeyDto {
  @LineField(NAME)
  name!: string;

  @SpendLimitField('Most that the key may spend, in the site’s currency. Absent or null: no limit.')
  spend_limit?: bigint | null;

  @AllowedModelsField('Slugs of the models that the key may call. Absent or null: all models.')
  allowed_models?: string[] | null;

  @BooleanField({
    description: `${REPORTS_COST} False is for clients that refuse unknown fields.`,
    optional: true,
    default: true,
  })
  reports_cost: boolean = true;
}

/** An absent field does not change. */
export class UpdateApiKeyDto {
  @LineField({ ...NAME, optional: true })
  name?: string;

  @SpendLimitField(
    'Most that the key may spend in all, in the site’s currency: what it has spent already counts. Null: no limit.',
  )
  spend_limit?: bigint | null;

  @AllowedModelsField('Slugs of the models that the key may call. Null: all models.')
  allowed_models?: string[] | null;

  @BooleanField({ description: REPORTS_COST, optional: true })
  reports_cost?: boolean;
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

/** A key without its secret. */
export class ApiKeyResponse {
  @ApiProperty({ description: 'Names the key in this API.', example: 'key_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'What the key is for.', example: 'production' })
  name!: string;

  @ApiProperty({ description: 'The first characters of the secret.', example: 'bfvk-3kZ8dQ' })
  prefix!: string;

  @InstantProperty({ description: 'When the key was made.' })
  created_at!: string;

  @InstantProperty({ description: 'The last call with the key, accurate to ten seconds.', nullable: true })
  last_used_at!: string | null;

  @MoneyProperty({
    description: 'Most that the key may spend, in the site’s currency; null: no limit.',
    nullable: true,
    example: 25,
  })
  spend_limit!: ExactNumber | null;

  @ApiProperty({
    description: 'Slugs of the models that the key may call; null: all.',
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
    description: 'What the key has spent in all, in the site’s currency, as `spend_limit` counts it.',
    example: 1.25,
  })
  spent!: ExactNumber;

  @MoneyProperty({
    description: 'What the key has spent in the 30 days before now, in the site’s currency.',
    example: 0.5,
  })
  spent_30_days!: ExactNumber;
}

export class CreatedApiKeyResponse extends OmitType(ApiKeyResponse, [
  'last_used_at',
  'spent',
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
