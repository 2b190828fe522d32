import { ChoiceField, IdField, InstantField, NextCursorProperty, TimeZoneField } from '@inference/dto';
import { PageQuery } from '@inference/http';
import { type InstantMicros } from '@inference/time';
import { ApiProperty, OmitType } from '@nestjs/swagger';
import { PAYMENT_PROVIDERS, type PaymentProviderName } from '../payment-providers/payment-provider';
import { PAYMENT_STATUSES, type PaymentStatus } from '../payments/payment.entity';
import { PaymentResponse } from '../payments/payments.dto';
import { RefundResponse } from '../refunds/refunds.dto';

export class AdminPaymentsQuery extends PageQuery {
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

  @InstantField({
    description:
      'Only payments created from this time on: a time, or a date, which is the start of that day in `time_zone`. All by default.',
    zoneField: 'time_zone',
    optional: true,
  })
  from?: InstantMicros;

  @InstantField({
    description: 'Only payments created before this time: a time or a date, as in `from`.',
    example: '2026-02-01T00:00:00Z',
    zoneField: 'time_zone',
    optional: true,
  })
  to?: InstantMicros;

  @TimeZoneField({
    description: 'The time zone of a `from` or `to` that is a date.',
    optional: true,
    default: 'UTC',
  })
  time_zone: string = 'UTC';
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
