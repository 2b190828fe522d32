import { type Order, type Refund } from '../orders/order';
import { detailsOf, statusOf } from './sessions';

/** A Stripe API object, to be serialized as JSON. */
export type StripeObject = Record<string, unknown>;

const secondsOf = (time: string) => Math.floor(Date.parse(time) / 1_000);
const read = (json: string | undefined) => JSON.parse(json ?? '{}') as StripeObject;

/** A payment intent exists from the first payment attempt. */
const wasTried = ({ status }: Order) => status === 'paid' || status === 'failed';
const refundedOf = (order: Order) => order.refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0);

export function sessionObject(order: Order, sandboxUrl: string): StripeObject {
  const details = detailsOf(order);
  const isOpen = order.status === 'open';
  return {
    id: details.session,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    allow_promotion_codes: null,
    amount_subtotal: order.amountMinor,
    amount_total: order.amountMinor,
    automatic_tax: { enabled: false, liability: null, provider: null, status: null },
    cancel_url: order.returnUrl,
    client_reference_id: details.clientReference || null,
    client_secret: null,
    created: secondsOf(order.createdAt),
    currency: order.currency.toLowerCase(),
    currency_conversion: null,
    customer: null,
    customer_creation: 'if_required',
    customer_details: wasTried(order) ? payerObject(order) : null,
    customer_email: null,
    discounts: [],
    expires_at: secondsOf(order.expiresAt),
    invoice: null,
    livemode: false,
    locale: null,
    metadata: read(details.metadata),
    mode: 'payment',
    payment_intent: wasTried(order) ? order.reference : null,
    payment_link: null,
    payment_method_collection: 'if_required',
    payment_method_types: ['card'],
    payment_status: order.status === 'paid' ? 'paid' : 'unpaid',
    recovered_from: null,
    setup_intent: null,
    shipping_cost: null,
    shipping_options: [],
    status: statusOf(order),
    submit_type: null,
    subscription: null,
    success_url: order.returnUrl,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted',
    url: isOpen ? `${sandboxUrl}/orders/${encodeURIComponent(order.id)}` : null,
  };
}

const payerObject = ({ payer }: Order): StripeObject => ({
  address: { city: null, country: 'US', line1: null, line2: null, postal_code: null, state: null },
  business_name: null,
  email: payer.email || null,
  individual_name: null,
  name: payer.name || null,
  phone: null,
  tax_exempt: 'none',
  tax_ids: [],
});

/** Null before the first payment attempt. */
export function paymentIntentObject(order: Order): StripeObject | null {
  if (!wasTried(order)) return null;
  const isPaid = order.status === 'paid';
  return {
    id: order.reference,
    object: 'payment_intent',
    amount: order.amountMinor,
    amount_capturable: 0,
    amount_received: isPaid ? order.amountMinor : 0,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    confirmation_method: 'automatic',
    created: secondsOf(order.paidAt ?? order.createdAt),
    currency: order.currency.toLowerCase(),
    customer: null,
    description: order.description,
    last_payment_error: isPaid
      ? null
      : { type: 'card_error', code: 'card_declined', decline_code: 'generic_decline', message: 'Declined.' },
    latest_charge: isPaid ? detailsOf(order).charge : null,
    livemode: false,
    metadata: read(detailsOf(order).paymentMetadata),
    next_action: null,
    payment_method_types: ['card'],
    status: isPaid ? 'succeeded' : 'requires_payment_method',
  };
}

/** Null until the order is paid. */
export function chargeObject(order: Order): StripeObject | null {
  if (order.status !== 'paid') return null;
  return {
    id: detailsOf(order).charge,
    object: 'charge',
    amount: order.amountMinor,
    amount_captured: order.amountMinor,
    amount_refunded: refundedOf(order),
    billing_details: { email: order.payer.email || null, name: order.payer.name || null, phone: null },
    captured: true,
    created: secondsOf(order.paidAt!),
    currency: order.currency.toLowerCase(),
    description: order.description,
    disputed: false,
    livemode: false,
    metadata: read(detailsOf(order).paymentMetadata),
    paid: true,
    payment_intent: order.reference,
    refunded: refundedOf(order) === order.amountMinor,
    status: 'succeeded',
  };
}

export function refundObject(order: Order, refund: Refund): StripeObject {
  const { metadata, reason } = read(order.details[refund.reference]);
  return {
    id: refund.reference,
    object: 'refund',
    amount: refund.amountMinor,
    balance_transaction: refund.reference.replace('re_', 'txn_'),
    charge: detailsOf(order).charge,
    created: secondsOf(refund.createdAt),
    currency: order.currency.toLowerCase(),
    destination_details: { card: { reference_status: 'pending', type: 'refund' }, type: 'card' },
    metadata: metadata ?? {},
    payment_intent: order.reference,
    reason: reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  };
}
