import { z } from 'zod';
import { type OrderState, type PaymentProof, type RefundState } from '../payment-provider';

/**
 * The parts of Stripe's objects that are used here, in API responses and in events. Events come in the API version of the
 * account, so only fields that all versions since 2022 share are read.
 */
const epoch = z
  .int()
  .nonnegative()
  .transform((seconds) => new Date(seconds * 1_000));
const metadata = z.record(z.string(), z.string()).nullish();
const charge = z.object({ id: z.string(), created: epoch });

const paymentIntent = z.object({
  id: z.string(),
  status: z.string(),
  created: epoch,
  latest_charge: z.union([z.string(), charge]).nullish(),
  last_payment_error: z.object({ code: z.string().nullish() }).nullish(),
});

export const checkoutSession = z.object({
  id: z.string(),
  object: z.literal('checkout.session'),
  created: epoch,
  status: z.enum(['open', 'complete', 'expired']),
  payment_status: z.enum(['paid', 'unpaid', 'no_payment_required']),
  amount_total: z.int().nullable(),
  currency: z.string().nullable(),
  /** The id, or the whole object where it was expanded. */
  payment_intent: z.union([z.string(), paymentIntent]).nullable(),
  customer_details: z.object({ name: z.string().nullish(), email: z.string().nullish() }).nullish(),
  metadata,
});

export const openedSession = z.object({ id: z.string(), url: z.url() });

export const refund = z.object({
  id: z.string(),
  object: z.literal('refund'),
  status: z.string().nullable(),
  failure_reason: z.string().nullish(),
  metadata,
});

type CheckoutSession = z.output<typeof checkoutSession>;
type PaymentIntent = z.output<typeof paymentIntent>;

/** A Stripe object whose fields contradict each other. */
export class InconsistentObjectError extends Error {}

/** A payment intent in these states will not be charged: a failed session accepts no second attempt. */
const UNCHARGEABLE_INTENT_STATUSES = ['requires_payment_method', 'canceled'];

/** `paidAt` is used if the session is paid. */
export function orderStateOf(session: CheckoutSession, paidAt: Date): OrderState {
  if (session.payment_status === 'paid') return { status: 'paid', proof: proofOf(session, paidAt) };
  if (session.status !== 'complete') return { status: session.status };
  // Nothing had to be paid, so no money has arrived.
  if (session.payment_status === 'no_payment_required')
    return { status: 'failed', reason: session.payment_status };
  const intent = session.payment_intent;
  if (intent === null || typeof intent === 'string' || !UNCHARGEABLE_INTENT_STATUSES.includes(intent.status))
    return { status: 'open' };
  return { status: 'failed', reason: intent.last_payment_error?.code ?? intent.status };
}

/** The time of the charge if it is known, otherwise the closest earlier time that Stripe returns. */
export function paidAtOf({ payment_intent: intent, created }: CheckoutSession): Date {
  if (intent === null || typeof intent === 'string') return created;
  return chargedAt(intent) ?? intent.created;
}

const chargedAt = ({ latest_charge: charge }: PaymentIntent) =>
  charge && typeof charge === 'object' ? charge.created : null;

function proofOf(session: CheckoutSession, paidAt: Date): PaymentProof {
  const { payment_intent: intent, amount_total: amount, currency, customer_details: payer } = session;
  if (intent === null || amount === null || currency === null)
    throw new InconsistentObjectError('A paid session lacks the payment intent, the amount or the currency.');
  return {
    reference: typeof intent === 'string' ? intent : intent.id,
    amountMinor: BigInt(amount),
    currency: currency.toUpperCase(),
    paidAt,
    payer: { name: payer?.name || null, email: payer?.email || null },
  };
}

export function refundStateOf({ id, status, failure_reason: failure }: z.output<typeof refund>): RefundState {
  if (status === 'succeeded') return { status, reference: id };
  if (status === 'failed' || status === 'canceled') return { status: 'failed', reason: failure ?? status };
  return { status: 'pending', reference: id };
}
