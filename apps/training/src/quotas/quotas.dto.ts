import { InstantProperty, IntegerField, TextField } from '@inference/dto';
import { ApiProperty } from '@nestjs/swagger';
import { MAX_QUOTA_TOKENS } from '../config';

const ACCOUNT_EXAMPLE = 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA';

export class QuotaPath {
  @TextField({ description: 'The id of the account.', example: ACCOUNT_EXAMPLE })
  accountId!: string;
}

export class SetQuotaDto {
  @IntegerField({
    description: 'The new quota in tokens. One below the used tokens stops the account’s trainings.',
    example: 1_000_000,
    min: 0,
    max: MAX_QUOTA_TOKENS,
  })
  total!: number;
}

export class QuotaChangeResponse {
  @ApiProperty({ description: 'The former quota in tokens.', type: 'integer', example: 0 })
  from!: number;

  @ApiProperty({ description: 'The new quota in tokens.', type: 'integer', example: 1_000_000 })
  to!: number;

  @ApiProperty({ description: 'Account id of the admin.', example: 'acct_1Vc3kZ8dQ1mXw7RtYb2LsA' })
  changed_by!: string;

  @InstantProperty({ description: 'When the quota was changed.' })
  changed_at!: string;
}

export class QuotaResponse {
  @ApiProperty({ description: 'The id of the account.', example: ACCOUNT_EXAMPLE })
  account_id!: string;

  @ApiProperty({ description: 'The quota in tokens.', type: 'integer', example: 1_000_000 })
  total!: number;

  @ApiProperty({ description: 'Tokens that trainings have used.', type: 'integer', example: 250_000 })
  used!: number;

  @ApiProperty({
    description: 'The last 50 changes of the quota, newest first.',
    type: [QuotaChangeResponse],
  })
  changes!: QuotaChangeResponse[];
}
