import { z } from 'zod';
import { newReference, type OrderBook } from '../orders/order-book';
import { type Order } from '../orders/order';
import { type FormValue } from './form';
import { invalidRequest, refusalOf, resourceMissing } from './stripe-error';

const MIN_LIFE_SECONDS = 1_800;
const MAX_LIFE_SECONDS = 86_400;
/** Stripe's minimum charge in minor units, for the supported currencies. */
const MIN_AMOUNT: Record<string, number> = { usd: 50, eur: 50, cny: 400 };
const MAX_REFERENCE_CHARS = 200;

const text = z.string().min(1);
const wholeNumber = z
  .string()
  .regex(/^\d{1,12}$/, 'must be a whole number')
  .transform(Number);
const flag = z.enum(['true', 'false']);
export const metadata = z.record(z.string().max(40), z.string().max(500));
export const expand = z.array(text).optional();

/** The supported Checkout parameters: a payment of one item. */
const creation = z.strictObject({
  mode: z.literal('payment'),
  client_reference_id: text.max(MAX_REFERENCE_CHARS).optional(),
  success_url: z.url(),
  cancel_url: z.url().optional(),
  customer_email: z.email().optional(),
  expires_at: wholeNumber.optional(),
  locale: text.optional(),
  submit_type: z.enum(['auto', 'pay']).optional(),
  payment_method_types: z.array(text).optional(),
  adaptive_pricing: z.strictObject({ enabled: flag }).optional(),
  line_items: z
    .array(
      z.strictObject({
        quantity: wholeNumber,
        price_data: z.strictObject({
          currency: z.string().regex(/^[A-Za-z]{3}$/),
          unit_amount: wholeNumber,
          product_data: z.strictObject({ name: text, description: text.optional() }),
        }),
      }),
    )
    .length(1),
  metadata: metadata.default({}),
  payment_intent_data: z
    .strictObject({ description: text.optional(), metadata: metadata.default({}) })
    .default({ metadata: {} }),
  expand,
});

/** The data of a session, stored in the details of its order. */
interface SessionDetails {
  session: string;
  /** The merchant's `client_reference_id`, or an empty string if there is none. */
  clientReference: string;
  charge: string;
  metadata: string;
  paymentMetadata: string;
}

export const detailsOf = (order: Order) => order.details as Record<string, string> & SessionDetails;

/**
 * Creates a new session for every call, as Stripe does: only the idempotency key detects a repeated request. The id of
 * the order is the merchant's `client_reference_id`. If that is missing or already in use, it is the session id.
 */
export function createSession(book: OrderBook, form: Record<string, FormValue>): Order {
  const parsed = creation.safeParse(form, { reportInput: true });
  if (!parsed.success) throw refusalOf(parsed.error);
  const wanted = parsed.data;
  const { quantity, price_data: price } = wanted.line_items[0]!;
  const amountMinor = quantity * price.unit_amount;
  const expiresAt = expiryOf(wanted.expires_at);
  if (amountMinor < (MIN_AMOUNT[price.currency.toLowerCase()] ?? 1))
    throw invalidRequest("The Checkout Session's total amount is less than the least that can be charged.", {
      code: 'amount_too_small',
    });
  const session = newReference('cs_test_');
  const reference = wanted.client_reference_id;
  const details: SessionDetails = {
    session,
    clientReference: reference ?? '',
    charge: newReference('ch_'),
    metadata: JSON.stringify(wanted.metadata),
    paymentMetadata: JSON.stringify(wanted.payment_intent_data.metadata),
  };
  return book.open({
    id: reference === undefined || book.find(reference) ? session : reference,
    provider: 'stripe',
    amountMinor,
    currency: price.currency.toUpperCase(),
    description: price.product_data.name,
    reference: newReference('pi_'),
    expiresAt: expiresAt.toISOString(),
    notifyUrl: null,
    returnUrl: wanted.success_url,
    details: { ...details },
  });
}

function expiryOf(seconds: number | undefined): Date {
  const now = Math.floor(Date.now() / 1_000);
  const expiresAt = seconds ?? now + MAX_LIFE_SECONDS;
  const refuse = (rule: string) =>
    invalidRequest(`The \`expires_at\` timestamp must be ${rule} from Checkout Session creation.`, {
      param: 'expires_at',
    });
  if (expiresAt < now + MIN_LIFE_SECONDS) throw refuse('at least 30 minutes');
  if (expiresAt > now + MAX_LIFE_SECONDS) throw refuse('less than 24 hours');
  return new Date(expiresAt * 1_000);
}

export function findSession(book: OrderBook, id: string): Order {
  const order = book.findWhere((one) => one.provider === 'stripe' && one.details.session === id);
  if (!order) throw resourceMissing('checkout.session', id, 'session');
  return order;
}

export function expireSession(book: OrderBook, id: string): Order {
  const order = findSession(book, id);
  const status = statusOf(order);
  if (status !== 'open')
    throw invalidRequest(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${status}\`.`,
    );
  book.close(order);
  return order;
}

/** The status of the session. A failed payment also completes the session. */
export function statusOf({ status }: Order): 'open' | 'complete' | 'expired' {
  if (status === 'open') return 'open';
  return status === 'paid' || status === 'failed' ? 'complete' : 'expired';
}
