import { type Currency } from '@inference/config';
import { CurrencyProperty, IdField, InstantProperty, MoneyProperty, TextField } from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { AmountField, MONEY_BOUNDS } from '../../validation/amount-field.decorator';

export class CreateAdjustmentDto {
  @IdField({ description: 'The account whose wallet is corrected.', noun: 'account', prefix: 'acct' })
  account_id!: string;

  @AmountField({
    ...MONEY_BOUNDS,
    description:
      'In the site’s currency, with at most 12 decimals: positive adds to the wallet, negative deducts. A text for more digits than a JSON number keeps.',
    example: -1.5,
    rule: [(picos) => picos !== 0n, 'must not be zero'],
  })
  amount!: bigint;

  @TextField({
    description: 'Why, for the owner of the wallet.',
    example: 'Credit for an outage',
    maxLength: 500,
    trim: true,
  })
  description!: string;
}

/** The wallet transaction of an adjustment. */
export class AdjustmentResponse {
  @ApiProperty({ description: 'Names the transaction.', example: 'txn_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The type of the transaction.', enum: ['adjustment'] })
  type!: 'adjustment';

  @MoneyProperty({ description: 'Amount in the currency; negative for a deduction.', example: -1.5 })
  amount!: ExactNumber;

  @CurrencyProperty()
  currency!: Currency;

  @InstantProperty({ description: 'When the adjustment was posted.' })
  created_at!: string;

  @ApiProperty({ description: 'Why, for the owner of the wallet.', example: 'Credit for an outage' })
  description!: string;

  @ApiProperty({
    description: 'The account whose wallet was corrected.',
    example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  account_id!: string;
}
