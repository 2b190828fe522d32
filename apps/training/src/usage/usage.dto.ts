import {
  CurrencyProperty,
  IdField,
  InstantProperty,
  IntegerField,
  MoneyProperty,
  NameText,
  TextField,
} from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';

/** Most tokens of one record: more than one training uses. The sum of a thousand records is still an exact JSON number. */
const MAX_TOKENS = 10 ** 12;

const RECORD_EXAMPLE = 'run-2026-01-31-7';
const ACCOUNT_EXAMPLE = 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA';
const MODEL_EXAMPLE = 'demo-base-model';

export class RecordUsageDto {
  @NameText()
  @TextField({
    description:
      'Id that the trainer assigns: the same for every attempt to report this record, and for no other record.',
    example: RECORD_EXAMPLE,
    maxLength: 128,
  })
  id!: string;

  @IdField({ description: 'The id of the account that pays.', noun: 'account', prefix: 'acct' })
  account_id!: string;

  @NameText()
  @TextField({ description: 'The base model that was trained.', example: MODEL_EXAMPLE, maxLength: 200 })
  model!: string;

  @IntegerField({ description: 'Tokens that the training used.', example: 250_000, min: 1, max: MAX_TOKENS })
  tokens!: number;
}

/** The stored record. A repeated report gets the same answer. */
export class UsageRecordResponse {
  @ApiProperty({ description: 'Id that the trainer assigned.', example: RECORD_EXAMPLE })
  id!: string;

  @ApiProperty({ description: 'The id of the account that paid.', example: ACCOUNT_EXAMPLE })
  account_id!: string;

  @ApiProperty({ description: 'The base model that was trained.', example: MODEL_EXAMPLE })
  model!: string;

  @ApiProperty({ description: 'Tokens that the training used.', type: 'integer', example: 250_000 })
  tokens!: number;

  @MoneyProperty({ description: 'What was charged, in the currency.', example: 0.75 })
  cost!: ExactNumber;

  @CurrencyProperty()
  currency!: string;

  @InstantProperty({ description: 'When the record was stored.' })
  recorded_at!: string;
}
