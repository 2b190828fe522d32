import { z } from 'zod';
import { newReference, type OrderBook } from '../orders/order-book';
import { type Order, type Refund } from '../orders/order';
import { type FormValue } from './form';
import { refundObject, type StripeObject } from './objects';
import { detailsOf, expand, metadata } from './sessions';
import { invalidRequest, refusalOf, resourceMissing } from './stripe-error';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

const text = z.string().min(1);
const amount = z
  .string()
  .regex(/^[1-9]\d{0,11}$/, 'must be a positive whole number')
  .transform(Number);

const creation = z.strictObject({
  payment_intent: text,
  amount: amount.optional(),
  reason: z.enum(['duplicate', 'fraudulent', 'requested_by_customer']).optional(),
  metadata: metadata.default({}),
  expand,
});

const listing = z.strictObject({
  payment_intent: text,
  limit: amount.refine((limit) => limit <= MAX_LIMIT, `must be at most ${MAX_LIMIT}`).default(DEFAULT_LIMIT),
  starting_after: text.optional(),
  expand,
});

/** Creates a new refund for every call, as Stripe does: only the idempotency key detects a repeated request. */
export function createRefund(book: OrderBook, form: Record<string, FormValue>): StripeObject {
  const parsed = creation.safeParse(form, { reportInput: true });
  if (!parsed.success) throw refusalOf(parsed.error);
  const wanted = parsed.data;
  const order = findPaymentIntent(book, wanted.payment_intent, 'payment_intent');
  const left = refundable(order);
  const amountMinor = wanted.amount ?? left;
  if (amountMinor > left)
    throw invalidRequest(
      `Refund amount (${amountMinor}) is greater than unrefunded amount on charge (${left})`,
      {
        param: 'amount',
      },
    );
  const reference = newReference('re_');
  // The order book is idempotent by refund id, so an id that is in use must not be reused.
  const named = wanted.metadata.refund_id;
  const isKnown = order.refunds.some(({ id }) => id === named);
  order.details[reference] = JSON.stringify({ metadata: wanted.metadata, reason: wanted.reason });
  const refund = book.refund(order, named && !isKnown ? named : reference, reference, amountMinor)!;
  return refundObject(order, refund);
}

function refundable(order: Order): number {
  if (order.status !== 'paid')
    throw invalidRequest(
      `This PaymentIntent (${order.reference}) does not have a successful charge to refund.`,
    );
  const left = order.amountMinor - order.refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  if (left === 0)
    throw invalidRequest(`Charge ${detailsOf(order).charge} has already been refunded.`, {
      code: 'charge_already_refunded',
    });
  return left;
}

export function findPaymentIntent(book: OrderBook, id: string, param: string): Order {
  const order = book.findWhere((one) => one.provider === 'stripe' && one.reference === id);
  if (!order || !['paid', 'failed'].includes(order.status))
    throw resourceMissing('payment_intent', id, param);
  return order;
}

export function findRefund(book: OrderBook, id: string): StripeObject {
  const isIt = ({ reference }: Refund) => reference === id;
  const order = book.findWhere(({ provider, refunds }) => provider === 'stripe' && refunds.some(isIt));
  if (!order) throw resourceMissing('refund', id, 'id');
  return refundObject(order, order.refunds.find(isIt)!);
}

/** Newest first. */
export function listRefunds(book: OrderBook, form: Record<string, FormValue>): StripeObject {
  const parsed = listing.safeParse(form, { reportInput: true });
  if (!parsed.success) throw refusalOf(parsed.error);
  const { payment_intent: id, limit, starting_after: after } = parsed.data;
  const order = findPaymentIntent(book, id, 'payment_intent');
  const all = [...order.refunds].reverse();
  const start = after === undefined ? 0 : all.findIndex(({ reference }) => reference === after) + 1;
  const page = all.slice(start, start + limit);
  return {
    object: 'list',
    data: page.map((refund) => refundObject(order, refund)),
    has_more: start + page.length < all.length,
    url: '/v1/refunds',
  };
}
