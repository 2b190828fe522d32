import { ChoiceField, IdField, NextCursorProperty } from '@inference/dto';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { TimeRangeQuery } from '../../validation/time-range.dto';
import { PAYMENT_PROVIDERS, type PaymentProviderName } from '../payment-providers/payment-provider';
import { PAYMENT_STATUSES, type PaymentStatus } from '../payments/payment.entity';
import { PaymentResponse } from '../payments/payments.dto';
import { RefundResponse } from '../refunds/refunds.dto';

export class AdminPaymentsQuery extends TimeRangeQuery {
  @IdField({
    description: 'Lists the payments of this account only.',
    noun: 'account',
    prefix: 'acct',
    optional: true,
  })
  account_id?: string;

  @ChoiceField(PAYMENT_STATUSES, {
    description: 'Lists payments with this status only.',
    example: 'paid',
    optional: true,
  })
  status?: PaymentStatus;

  @ChoiceField(PAYMENT_PROVIDERS, {
    description: 'Lists payments through this provider only.',
    example: 'card_provider',
    optional: true,
  })
  provider?: PaymentProviderName;
}

export class AdminPaymentResponse extends OmitType(PaymentResponse, ['refunds']) {
  @ApiProperty({ description: 'The account that pays.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  account_id!: string;

  @ApiProperty({
    description: 'The number of the receipt or invoice; null without one.',
    type: String,
    nullable: true,
    example: 'R-2026-000001',
  })
  document_number!: string | null;

  @ApiProperty({ description: 'All attempts at a refund, oldest first.', type: [RefundResponse] })
  refunds!: RefundResponse[];
}

/** A payment of any account, as a list shows it. */
export class ListedPaymentResponse extends PaymentResponse {
  @ApiProperty({ description: 'The account that pays.', example: 'acct_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  account_id!: string;
}

export class AllPaymentsResponse {
  @ApiProperty({ description: 'The payments of the page, newest first.', type: [ListedPaymentResponse] })
  payments!: ListedPaymentResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}
