import { type Currency } from '@inference/config';
import { type ExactNumber, exactNumber, PICO_DIGITS, scaledToDecimal } from '@inference/money';
import { z } from 'zod';
import { decimalField } from '../money-fields';
import { PAYMENT_PROVIDERS, type PaymentProviderName } from '../payment-providers/payment-provider';
import { type Payment } from './payment';
import { type PaymentStatus } from './payment-states';

/** What providers count in: hundredths of the currency. */
export const MINOR_DIGITS = 2;
const PICOS_PER_MINOR = 10n ** BigInt(PICO_DIGITS - MINOR_DIGITS);
const MAX_AMOUNT = 1_000_000_000;
const MAX_URL_CHARS = 2_000;

export const amountField = () =>
  decimalField({ decimals: MINOR_DIGITS, max: MAX_AMOUNT }, (minor) => minor > 0n, 'must be positive');

const isHttpUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

export const newPayment = z.strictObject({
  provider: z.enum(PAYMENT_PROVIDERS, `must be one of ${PAYMENT_PROVIDERS.join(', ')}`),
  /** In the site's currency. */
  amount: amountField(),
  /** Where the payer's browser goes afterwards, the console's billing page unless told. */
  return_url: z
    .string('must be a URL')
    .max(MAX_URL_CHARS, `must have at most ${MAX_URL_CHARS} characters`)
    .refine(isHttpUrl, 'must be a URL starting with http:// or https://')
    // As a browser reads it: providers take no other spelling.
    .transform((text) => new URL(text).href)
    .optional(),
});
export type NewPayment = z.output<typeof newPayment>;

/** Spec: Payment; and how to pay while that is possible. Times are ISO 8601. */
export interface PaymentView {
  id: string;
  provider: PaymentProviderName;
  amount: ExactNumber;
  currency: Currency;
  status: PaymentStatus;
  paid_at: string | null;
  provider_reference?: string;
  created_at: string;
  checkout?: {
    /** Send the payer there, or show the URL as a QR code. */
    type: 'redirect' | 'qr';
    url: string;
    expires_at: string;
  };
}

export const minorToPicos = (minor: bigint) => minor * PICOS_PER_MINOR;
export const minorAmount = (minor: bigint) => exactNumber(scaledToDecimal(minor, MINOR_DIGITS));

export function paymentView(payment: Payment): PaymentView {
  const { checkoutType, checkoutUrl } = payment;
  const isPayable = payment.status === 'pending' && checkoutType !== null && checkoutUrl !== null;
  return {
    id: payment.id,
    provider: payment.provider,
    amount: minorAmount(payment.amountMinor),
    currency: payment.currency,
    status: payment.status,
    paid_at: payment.paidAt?.toISOString() ?? null,
    ...(payment.providerReference === null ? {} : { provider_reference: payment.providerReference }),
    created_at: payment.createdAt.toISOString(),
    ...(isPayable
      ? { checkout: { type: checkoutType, url: checkoutUrl, expires_at: payment.expiresAt.toISOString() } }
      : {}),
  };
}
