import { type Currency } from '@inference/config';
import {
  ChoiceField,
  CurrencyProperty,
  IdField,
  InstantProperty,
  MoneyProperty,
  NextCursorProperty,
  TextField,
} from '@inference/dto';
import { PageQuery } from '@inference/http';
import { type ExactNumber } from '@inference/money';
import { ApiProperty } from '@nestjs/swagger';
import { AmountField } from '../../validation/amount-field.decorator';
import { minorToNumber, POSITIVE_AMOUNT } from '../payments/minor-amount';
import { PaymentRefundResponse, paymentRefundView } from '../payments/payments.dto';
import { type Refund, REFUND_STATUSES, type RefundStatus } from '../payments/payment.entity';
import { type ListedRefund } from '../payments/refunds.repository';

export class CreateRefundDto {
  @AmountField({
    ...POSITIVE_AMOUNT,
    description:
      'What to give back, in the currency of the payment, with at most two decimals. By default the whole payment.',
    example: 7.55,
    optional: true,
  })
  amount?: bigint;

  @TextField({
    description: 'Why, for people. The payer sees it.',
    example: 'Paid twice',
    maxLength: 200,
    trim: true,
    optional: true,
  })
  reason?: string;
}

/** A refund as admins see it. */
export class RefundResponse {
  @ApiProperty({ description: 'Names the refund.', example: 'rfd_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The payment.', example: 'pay_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  payment_id!: string;

  @MoneyProperty({ description: 'What is given back, in the currency.', example: 7.55 })
  amount!: ExactNumber;

  @CurrencyProperty({ description: 'The currency of the payment.' })
  currency!: Currency;

  @ApiProperty({
    description:
      '`pending`: the provider has not finished the refund, or could not be reached and is asked again. `failed`: the wallet has its money again.',
    enum: REFUND_STATUSES,
    example: 'succeeded',
  })
  status!: RefundStatus;

  @ApiProperty({
    description: 'Why it was ordered, for people; null if nobody said.',
    type: String,
    nullable: true,
    example: 'Paid twice',
  })
  reason!: string | null;

  @ApiProperty({
    description: 'The provider’s reason for a failure; null if it has not failed.',
    type: String,
    nullable: true,
    example: null,
  })
  failure!: string | null;

  @InstantProperty({ description: 'When the refund was ordered.' })
  created_at!: string;
}

/** @param currency of the payment */
export function refundView(refund: Refund, currency: Currency): RefundResponse {
  return {
    id: refund.id,
    payment_id: refund.paymentId,
    amount: minorToNumber(refund.amountMinor),
    currency,
    status: refund.status,
    reason: refund.reason,
    failure: refund.failure,
    created_at: refund.createdAt.toISOString(),
  };
}

export class AdminRefundsQuery extends PageQuery {
  @IdField({
    description: 'Lists the refunds of this account only.',
    noun: 'account',
    prefix: 'acct',
    optional: true,
  })
  account_id?: string;

  @ChoiceField(REFUND_STATUSES, {
    description: 'Lists refunds with this status only.',
    example: 'pending',
    optional: true,
  })
  status?: RefundStatus;
}

/** A refund in the list of the account that gets it. */
export class OwnRefundResponse extends PaymentRefundResponse {
  @ApiProperty({ description: 'The payment.', example: 'pay_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  payment_id!: string;

  @CurrencyProperty({ description: 'The currency of the payment.' })
  currency!: Currency;

  @InstantProperty({ description: 'When it succeeded or failed; null before.', nullable: true })
  ended_at!: string | null;
}

export class RefundListResponse {
  @ApiProperty({ description: 'The refunds of the page, newest first.', type: [OwnRefundResponse] })
  refunds!: OwnRefundResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

/** A refund in the list of all accounts. */
export class ListedRefundResponse extends RefundResponse {
  @ApiProperty({ description: 'The account that gets the money.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  account_id!: string;

  @InstantProperty({ description: 'When it succeeded or failed; null before.', nullable: true })
  ended_at!: string | null;
}

export class AllRefundsResponse {
  @ApiProperty({ description: 'The refunds of the page, newest first.', type: [ListedRefundResponse] })
  refunds!: ListedRefundResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

const endOf = ({ endedAt }: Refund): string | null => endedAt?.toISOString() ?? null;

export const ownRefundView = (refund: ListedRefund): OwnRefundResponse => ({
  ...paymentRefundView(refund),
  payment_id: refund.paymentId,
  currency: refund.payment.currency,
  ended_at: endOf(refund),
});

export const listedRefundView = (refund: ListedRefund): ListedRefundResponse => ({
  ...refundView(refund, refund.payment.currency),
  account_id: refund.payment.accountId,
  ended_at: endOf(refund),
});
