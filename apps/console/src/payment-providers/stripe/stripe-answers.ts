import { z } from 'zod';
import { type OrderState, type PaidProof, type RefundState } from '../payment-provider';

/**
 * What is read of Stripe's objects, in its API's answers and in its events alike. An event has the version of the
 * API that the account was set to, so this is only what all versions since 2022 have in common.
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
  /** Its id, or all of it when it was asked for. */
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

/** An object of Stripe's that contradicts itself. */
export class ImplausibleObject extends Error {}

/** Of a session's payment intent: it will not be charged again. A session that failed takes no second try. */
const LOST_INTENTS = ['requires_payment_method', 'canceled'];

/** `paidAt` is when it was paid, should it have been. */
export function stateOf(session: CheckoutSession, paidAt: Date): OrderState {
  if (session.payment_status === 'paid') return { status: 'paid', proof: proofOf(session, paidAt) };
  if (session.status !== 'complete') return { status: session.status };
  // Nothing was to be paid, so nothing has arrived.
  if (session.payment_status === 'no_payment_required')
    return { status: 'failed', reason: session.payment_status };
  const intent = session.payment_intent;
  if (intent === null || typeof intent === 'string' || !LOST_INTENTS.includes(intent.status))
    return { status: 'open' };
  return { status: 'failed', reason: intent.last_payment_error?.code ?? intent.status };
}

/** The best that Stripe tells of it: when it was charged. */
export function paidAtOf({ payment_intent: intent, created }: CheckoutSession): Date {
  if (intent === null || typeof intent === 'string') return created;
  return chargedAt(intent) ?? intent.created;
}

const chargedAt = ({ latest_charge: charge }: PaymentIntent) =>
  charge && typeof charge === 'object' ? charge.created : null;

function proofOf(session: CheckoutSession, paidAt: Date): PaidProof {
  const { payment_intent: intent, amount_total: amount, currency, customer_details: payer } = session;
  if (intent === null || amount === null || currency === null)
    throw new ImplausibleObject('A paid session says not what was paid.');
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
