import { CURRENCIES, type Currency } from '@inference/config';
import {
  ChoiceField,
  CurrencyProperty,
  type FieldOptions,
  IdField,
  InstantProperty,
  MoneyProperty,
  NextCursorProperty,
  TextField,
} from '@inference/dto';
import { type ExactNumber } from '@inference/money';
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { AmountField } from '../../validation/amount-field.decorator';
import { PAYMENT_PROVIDERS, type PaymentProviderName } from '../payment-providers/payment-provider';
import { minorToNumber, POSITIVE_AMOUNT, refundedMinor } from './minor-amount';
import {
  type Payment,
  PAYMENT_STATUSES,
  type PaymentStatus,
  type Refund,
  REFUND_STATUSES,
  type RefundStatus,
} from './payment.entity';

/** All providers accept 2,000 characters, and no return page needs more. */
const MAX_URL_CHARS = 2_000;

const isHttpUrl = (value: unknown): value is string =>
  typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

/** An address of a page. The DTO holds the normalized spelling, which is the only one that providers accept. */
const ReturnUrlField = (options: FieldOptions): PropertyDecorator =>
  applyDecorators(
    Transform(({ value }: { value: unknown }) => (isHttpUrl(value) ? new URL(value).href : value)),
    TextField({ ...options, maxLength: MAX_URL_CHARS, format: 'uri' }),
    ValidateBy({
      name: 'isHttpUrl',
      validator: {
        validate: isHttpUrl,
        defaultMessage: () => 'must be a URL starting with http:// or https://',
      },
    }),
  );

const CHECKOUT_TYPES = ['redirect', 'qr'] as const;

export class CreatePaymentDto {
  @ChoiceField(PAYMENT_PROVIDERS, {
    description:
      'The provider, which must be enabled on the site: `card_provider` on the international site, the others on the China site.',
    example: 'card_provider',
  })
  provider!: PaymentProviderName;

  @AmountField({
    ...POSITIVE_AMOUNT,
    description:
      'What to pay, in the site’s currency, with at most two decimals and within the bounds of the settings.',
    example: 20,
  })
  amount!: bigint;

  @ChoiceField(CURRENCIES, {
    description: 'The site’s currency, which is the only one.',
    example: 'USD',
    optional: true,
  })
  currency?: Currency;

  @ReturnUrlField({
    description:
      'Page to which the payer’s browser returns: on the origin of the console, of its pages or of `CORS_ORIGINS`. By default the billing page.',
    example: 'https://console.example.com/payments',
    optional: true,
  })
  return_url?: string;
}

export class PaymentPath {
  @IdField({ description: 'The id of the payment.', noun: 'payment', prefix: 'pay' })
  id!: string;
}

/** A refund as the payer sees it. */
export class PaymentRefundResponse {
  @ApiProperty({ description: 'Names the refund.', example: 'rfd_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @MoneyProperty({ description: 'What is given back, in the currency of the payment.', example: 7.55 })
  amount!: ExactNumber;

  @ApiProperty({
    description: '`pending`: the provider has not finished the refund. `failed`: nothing was given back.',
    enum: REFUND_STATUSES,
    example: 'succeeded',
  })
  status!: RefundStatus;

  @InstantProperty({ description: 'When the refund was ordered.' })
  created_at!: string;

  @ApiProperty({
    description: 'Why it was ordered, for people; absent if nobody said.',
    example: 'Paid twice',
    required: false,
  })
  reason?: string;
}

export class CheckoutResponse {
  @ApiProperty({
    description: '`redirect`: send the payer to the URL; `qr`: show the URL as a QR code.',
    enum: CHECKOUT_TYPES,
  })
  type!: (typeof CHECKOUT_TYPES)[number];

  @ApiProperty({
    description: 'Where the payer pays, at the provider.',
    example: 'https://checkout.example.com/c/pay/cs_live_a1b2',
  })
  url!: string;

  @InstantProperty({ description: 'When the payment expires unless it is paid.' })
  expires_at!: string;
}

/** Spec: Payment. */
export class PaymentResponse {
  @ApiProperty({ description: 'Names the payment in this API.', example: 'pay_0Vc3kZ8dQ1mXw7RtYb2LsA' })
  id!: string;

  @ApiProperty({ description: 'The provider of the payment.', enum: PAYMENT_PROVIDERS })
  provider!: PaymentProviderName;

  @MoneyProperty({ description: 'What is to be paid or was paid, in the currency.', example: 20 })
  amount!: ExactNumber;

  @CurrencyProperty()
  currency!: Currency;

  @ApiProperty({
    description:
      '`paid`: credited to the wallet; a refund leaves it `paid`. A payment that is `failed` or `expired` becomes `paid` if its money arrives late.',
    enum: PAYMENT_STATUSES,
  })
  status!: PaymentStatus;

  @InstantProperty({ description: 'When it was paid; null before.', nullable: true })
  paid_at!: string | null;

  @InstantProperty({
    description:
      'When it ended without money; null for a payment that can be paid or was paid in time. It stays if the money arrives later.',
    nullable: true,
  })
  ended_at!: string | null;

  @InstantProperty({
    description: 'When the notice about money that arrived late was closed; null before.',
    nullable: true,
  })
  seen_at!: string | null;

  @ApiProperty({
    description: 'The provider’s id of the transaction; absent while the payment is not paid.',
    example: 'pi_3MtwBwLkdIwHu7ix28a3tqPa',
    required: false,
  })
  provider_reference?: string;

  @InstantProperty({ description: 'When the payment was created.' })
  created_at!: string;

  @MoneyProperty({ description: 'Sum of the refunds that have succeeded.', example: 0 })
  refunded_amount!: ExactNumber;

  @ApiProperty({ description: 'All attempts at a refund, oldest first.', type: [PaymentRefundResponse] })
  refunds!: PaymentRefundResponse[];

  @ApiProperty({
    description: 'How to pay; absent unless the payment can be paid.',
    type: CheckoutResponse,
    required: false,
  })
  checkout?: CheckoutResponse;
}

export class PaymentListResponse {
  @ApiProperty({ description: 'The account’s payments, newest first.', type: [PaymentResponse] })
  payments!: PaymentResponse[];

  @NextCursorProperty()
  next_cursor!: string | null;
}

export const paymentRefundView = ({
  id,
  amountMinor,
  status,
  createdAt,
  reason,
}: Refund): PaymentRefundResponse => ({
  id,
  amount: minorToNumber(amountMinor),
  status,
  created_at: createdAt.toISOString(),
  ...(reason === null ? {} : { reason }),
});

/** @param refunds the payment's refunds */
export function paymentView(payment: Payment, refunds: Refund[]): PaymentResponse {
  const { checkoutType, checkoutUrl } = payment;
  const isPayable = payment.status === 'pending' && checkoutType !== null && checkoutUrl !== null;
  return {
    id: payment.id,
    provider: payment.provider,
    amount: minorToNumber(payment.amountMinor),
    currency: payment.currency,
    status: payment.status,
    paid_at: payment.paidAt?.toISOString() ?? null,
    ended_at: payment.endedAt?.toISOString() ?? null,
    seen_at: payment.seenAt?.toISOString() ?? null,
    ...(payment.providerReference === null ? {} : { provider_reference: payment.providerReference }),
    created_at: payment.createdAt.toISOString(),
    refunded_amount: minorToNumber(refundedMinor(refunds)),
    refunds: refunds.map(paymentRefundView),
    ...(isPayable
      ? { checkout: { type: checkoutType, url: checkoutUrl, expires_at: payment.expiresAt.toISOString() } }
      : {}),
  };
}
