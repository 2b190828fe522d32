import { type Currency } from '@inference/config';
import { type ExactNumber } from '@inference/money';
import { z } from 'zod';
import { PAYMENT_PROVIDERS, type PaymentProviderName } from '../payment-providers/payment-provider';
import { type Refund, refundedMinor, type RefundStatus } from './refund';
import { minorNumberField, minorToNumber } from './minor-amount';
import { type Payment } from './payment';
import { type PaymentStatus } from './payment-status';

/** All providers accept 2,000 characters, and no return page needs more. */
const MAX_URL_CHARS = 2_000;

const isHttpUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

export const createPaymentDto = z.strictObject({
  provider: z.enum(PAYMENT_PROVIDERS, `must be one of ${PAYMENT_PROVIDERS.join(', ')}`),
  /** In the site's currency; a JSON number only. */
  amount: minorNumberField(),
  /** The site's currency, which is the only one. */
  currency: z.string('must be a currency').optional(),
  /** Page to which the payer's browser returns, on an allowed origin; the console's billing page by default. */
  return_url: z
    .string('must be a URL')
    .max(MAX_URL_CHARS, `must have at most ${MAX_URL_CHARS} characters`)
    .refine(isHttpUrl, 'must be a URL starting with http:// or https://')
    // Providers accept only the normalized spelling.
    .transform((text) => new URL(text).href)
    .optional(),
});
export type CreatePaymentDto = z.output<typeof createPaymentDto>;

/** A refund as the payer sees it. */
export interface PaymentRefundView {
  id: string;
  amount: ExactNumber;
  /** `pending`: the provider has not finished the refund. */
  status: RefundStatus;
  created_at: string;
  reason?: string;
}

/**
 * Spec: Payment; what was given back of it, and the checkout while the payment can be paid. A refund leaves the status
 * `paid`. Times are ISO 8601.
 */
export interface PaymentView {
  id: string;
  provider: PaymentProviderName;
  amount: ExactNumber;
  currency: Currency;
  status: PaymentStatus;
  paid_at: string | null;
  provider_reference?: string;
  created_at: string;
  /** Sum of the refunds that have succeeded. */
  refunded_amount: ExactNumber;
  /** All attempts at a refund, oldest first. */
  refunds: PaymentRefundView[];
  checkout?: {
    /** `redirect`: send the payer to the URL; `qr`: show the URL as a QR code. */
    type: 'redirect' | 'qr';
    url: string;
    expires_at: string;
  };
}

const paymentRefundView = ({ id, amountMinor, status, createdAt, reason }: Refund): PaymentRefundView => ({
  id,
  amount: minorToNumber(amountMinor),
  status,
  created_at: createdAt.toISOString(),
  ...(reason === null ? {} : { reason }),
});

/** @param refunds the payment's refunds */
export function paymentView(payment: Payment, refunds: Refund[]): PaymentView {
  const { checkoutType, checkoutUrl } = payment;
  const isPayable = payment.status === 'pending' && checkoutType !== null && checkoutUrl !== null;
  return {
    id: payment.id,
    provider: payment.provider,
    amount: minorToNumber(payment.amountMinor),
    currency: payment.currency,
    status: payment.status,
    paid_at: payment.paidAt?.toISOString() ?? null,
    ...(payment.providerReference === null ? {} : { provider_reference: payment.providerReference }),
    created_at: payment.createdAt.toISOString(),
    refunded_amount: minorToNumber(refundedMinor(refunds)),
    refunds: refunds.map(paymentRefundView),
    ...(isPayable
      ? { checkout: { type: checkoutType, url: checkoutUrl, expires_at: payment.expiresAt.toISOString() } }
      : {}),
  };
}
