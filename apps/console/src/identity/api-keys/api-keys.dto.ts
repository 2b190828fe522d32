import { IdField, InstantProperty, LineField, MoneyProperty, TextListField } from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { Matches } from 'class-validator';
import { AmountField } from '../../validation/amount-field.decorator';
import { MONEY_BOUNDS } from '../../validation/money-fields';
import { SLUG, SLUG_MESSAGE } from '../../validation/slug-field.decorator';

const withoutRepeats = ({ value }: { value: unknown }): unknown =>
  Array.isArray(value) ? [...new Set(value)] : value;

export class CreateApiKeyDto {
  @LineField({ description: 'What the key is for.', example: 'production', maxLength: 100 })
  name!: string;

  @AmountField({
    ...MONEY_BOUNDS,
    description: 'Most that the key may spend, in the site’s currency. Absent or null: no limit.',
    example: 25,
    rule: [(picos) => picos > 0n, 'must be positive'],
    allowsText: true,
    optional: true,
    nullable: true,
  })
  spend_limit?: bigint | null;

  @Transform(withoutRepeats)
  @TextListField(
    {
      description: 'Slugs of the models that the key may call. Absent or null: all models.',
      example: ['sandbox-chat'],
      minItems: 1,
      maxItems: 1_000,
      optional: true,
      nullable: true,
    },
    { pattern: SLUG.source },
    Matches(SLUG, { each: true, message: SLUG_MESSAGE }),
  )
  allowed_models?: string[] | null;
}

export class ApiKeyPath {
  @IdField({ description: 'The id of the key.', noun: 'API key', prefix: 'key' })
  id!: string;
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
}

export class CreatedApiKeyResponse extends OmitType(ApiKeyResponse, ['last_used_at']) {
  @ApiProperty({ description: 'The secret. It is shown only here.', example: 'bfvk-…' })
  key!: string;
}

export class ApiKeyListResponse {
  @ApiProperty({ description: 'The account’s keys, newest first.', type: [ApiKeyResponse] })
  api_keys!: ApiKeyResponse[];
}
