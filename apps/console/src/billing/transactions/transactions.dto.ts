import { type Currency } from '@inference/config';
import { CurrencyProperty, InstantProperty, MoneyProperty, NextCursorProperty } from '@inference/dto';
import { type ExactNumber, exactNumber, picosToDecimal } from '@inference/money';
import { type StatementLine } from '@inference/wallet';
import { ApiProperty } from '@nestjs/swagger';

/** Spec: Wallet transaction. */
export class TransactionResponse {
  @ApiProperty({ description: 'Names the transaction for good.', example: 'txn_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({
    description: 'What moved the money. `adjustment`: a correction or a refund.',
    enum: ['topup', 'usage', 'adjustment'],
  })
  type!: StatementLine['type'];

  @MoneyProperty({
    description: 'Amount in the currency: positive for a top-up, negative for a deduction.',
    example: 25,
  })
  amount!: ExactNumber;

  @CurrencyProperty()
  currency!: Currency;

  @InstantProperty({
    description: 'When the money moved. Usage of an hour is dated at the end of the hour.',
  })
  created_at!: string;

  @ApiProperty({
    description: 'Short text for people.',
    example: 'Usage of demo-model, 2026-01-31 11:00 to 12:00 UTC',
  })
  description!: string;
}

export class TransactionListResponse {
  @ApiProperty({ description: 'The wallet’s transactions, newest first.', type: [TransactionResponse] })
  transactions!: TransactionResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

export function transactionView(
  line: Omit<StatementLine, 'position'>,
  currency: Currency,
): TransactionResponse {
  return {
    id: line.id,
    type: line.type,
    amount: exactNumber(picosToDecimal(line.amountPicos)),
    currency,
    created_at: line.createdAt.toISOString(),
    description: line.description,
  };
}
