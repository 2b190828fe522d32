import { IdField, InstantProperty, MoneyProperty, TextField } from '@inference/dto';
import { KEY_KINDS, type KeyKind } from '@inference/guards';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { AccountPath, SuspensionResponse } from '../../accounts/accounts.dto';

const MAX_TEXT_LENGTH = 1_000;

export class SuspendDto {
  @TextField({
    description: 'Why, for staff. The customer never sees it.',
    example: 'Stolen card, ticket 4711.',
    maxLength: MAX_TEXT_LENGTH,
    trim: true,
  })
  reason!: string;

  @TextField({
    description:
      'Why, for the owner: shown after a correct sign-in, or beside the key. Null or absent: only that it is suspended.',
    example: 'We have seen calls from many networks with your keys. Please write to us.',
    maxLength: MAX_TEXT_LENGTH,
    trim: true,
    optional: true,
    nullable: true,
  })
  message?: string | null;
}

export class ReactivateDto {
  @TextField({
    description: 'Why, for staff. The customer never sees it.',
    example: 'The owner has proved to be the holder of the card.',
    maxLength: MAX_TEXT_LENGTH,
    trim: true,
  })
  reason!: string;
}

export class AccountKeyPath extends AccountPath {
  @IdField({ description: 'The id of the key.', noun: 'API key', prefix: 'key' })
  keyId!: string;
}

/** A key as support sees it, without its secret. */
export class SupportApiKeyResponse {
  @ApiProperty({ description: 'Names the key in this API.', example: 'key_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({
    description: 'Whether programs call models with it, or manage keys.',
    enum: KEY_KINDS,
    example: 'api',
  })
  kind!: KeyKind;

  @ApiProperty({
    description: 'The management key that made it; null: a person of the account.',
    type: String,
    nullable: true,
    example: null,
  })
  created_by_key!: string | null;

  @ApiProperty({ description: 'What the key is for.', example: 'production' })
  name!: string;

  @ApiProperty({ description: 'The first characters of the secret.', example: 'bfvk-3kZ8dQ' })
  prefix!: string;

  @InstantProperty({ description: 'When the key was made.' })
  created_at!: string;

  @InstantProperty({ description: 'The last call with the key, accurate to ten seconds.', nullable: true })
  last_used_at!: string | null;

  @InstantProperty({ description: 'When its owner deleted it; null: it exists.', nullable: true })
  deleted_at!: string | null;

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

  @ApiProperty({
    description: 'Since when and why it is suspended; null: it is not.',
    type: SuspensionResponse,
    nullable: true,
  })
  suspension!: SuspensionResponse | null;
}

export class SupportApiKeyListResponse {
  @ApiProperty({
    description: 'The keys, newest first, deleted ones too.',
    type: [SupportApiKeyResponse],
  })
  keys!: SupportApiKeyResponse[];
}
