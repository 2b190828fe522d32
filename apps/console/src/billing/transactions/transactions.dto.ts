import { type Currency } from '@inference/config';
import { CurrencyProperty, InstantProperty, MoneyProperty, NextCursorProperty } from '@inference/dto';
import { type ExactNumber, exactNumber, picosToDecimal } from '@inference/money';
import { type WalletMovement } from '@inference/wallet';
import { ApiProperty } from '@nestjs/swagger';
import { PAYMENT_PROVIDERS, type PaymentProviderName } from '../payment-providers/payment-provider';
import { TRANSACTION_CAUSES, type TransactionOrigin } from './transaction-origin';

/** Spec: Wallet transaction. */
export class TransactionResponse {
  @ApiProperty({ description: 'Names the transaction for good.', example: 'txn_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({
    description: 'What moved the money. `adjustment`: a correction or a refund.',
    enum: ['topup', 'usage', 'adjustment'],
  })
  type!: WalletMovement['type'];

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

  @ApiProperty({
    description:
      'Why the money moved, for a description in another language. `refund_failed`: money that returned because the provider refused a refund. `correction`: by an admin; `description` is the reason in the admin’s words.',
    enum: TRANSACTION_CAUSES,
  })
  cause!: TransactionOrigin['cause'];

  @ApiProperty({
    description: 'The payment of a top-up or a refund; null otherwise.',
    type: String,
    nullable: true,
    example: 'pay_0Vc3kZ8dQ1mXw7RtYb2LsA',
  })
  payment_id!: string | null;

  @ApiProperty({
    description: 'The provider of the payment; null without one.',
    enum: PAYMENT_PROVIDERS,
    nullable: true,
  })
  provider!: PaymentProviderName | null;

  @ApiProperty({
    description: 'Slug of the model whose usage of one hour was paid; null otherwise.',
    type: String,
    nullable: true,
    example: 'demo-model',
  })
  model!: string | null;
}

export class TransactionListResponse {
  @ApiProperty({ description: 'The wallet’s transactions, newest first.', type: [TransactionResponse] })
  transactions!: TransactionResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

export function transactionView(
  line: Omit<WalletMovement, 'position'>,
  currency: Currency,
  { cause, payment }: TransactionOrigin,
): TransactionResponse {
  return {
    id: line.id,
    type: line.type,
    amount: exactNumber(picosToDecimal(line.amountPicos)),
    currency,
    created_at: line.createdAt.toISOString(),
    description: line.description,
    cause,
    payment_id: payment?.id ?? null,
    provider: payment?.provider ?? null,
    model: line.model,
  };
}
