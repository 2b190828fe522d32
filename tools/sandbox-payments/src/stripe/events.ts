import { createHash, createHmac } from 'node:crypto';
import { type NotificationFaults } from '../injected-faults';
import { type Order } from '../orders/order';
import { type StripeAccount } from '../credentials/provider-accounts';
import { type WireNotification } from '../protocol';
import { refundObject, sessionObject, type StripeObject } from './objects';

/** The API version of the account, which can differ from the version that the merchant's library requests. */
const EVENT_API_VERSION = '2024-06-20';
const OUT_OF_BOUNDS_SECONDS = 600;
const ANOTHER_CURRENCY = 'eur';

interface Happening {
  type: string;
  object: StripeObject;
  /** ISO 8601. Null: the current time. */
  at: string | null;
}

function happeningOf(order: Order, sandboxUrl: string): Happening | null {
  const refund = order.refunds.at(-1);
  if (refund) return { type: 'refund.created', object: refundObject(order, refund), at: refund.createdAt };
  const object = sessionObject(order, sandboxUrl);
  switch (order.status) {
    case 'open':
      return null;
    case 'paid':
      return { type: 'checkout.session.completed', object, at: order.paidAt };
    case 'failed':
      return { type: 'checkout.session.async_payment_failed', object, at: null };
    case 'expired':
    case 'closed':
      return { type: 'checkout.session.expired', object, at: null };
  }
}

const seconds = (millis: number) => Math.floor(millis / 1_000);

/** The id is derived from the event, so that a retry has the same id. */
function eventOf({ type, object, at }: Happening, faults: NotificationFaults): StripeObject {
  const digest = createHash('sha256')
    .update(`${type} ${String(object.id)}`)
    .digest('hex');
  const spoilt = {
    ...object,
    ...(faults.wrongAmount && 'amount_total' in object && { amount_total: Number(object.amount_total) + 1 }),
    ...(faults.wrongCurrency && { currency: ANOTHER_CURRENCY }),
    ...(faults.wrongMerchant && 'livemode' in object && { livemode: true }),
  };
  return {
    id: `evt_${digest.slice(0, 24)}`,
    object: 'event',
    api_version: EVENT_API_VERSION,
    created: seconds(at === null ? Date.now() : Date.parse(at)),
    data: { object: spoilt },
    livemode: faults.wrongMerchant,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type,
  };
}

/** The event for the current state of the order, with a new signature. Null if Stripe sends no event for this state. */
export function signedEvent(
  order: Order,
  account: StripeAccount,
  sandboxUrl: string,
  faults: NotificationFaults,
): WireNotification | null {
  const happening = happeningOf(order, sandboxUrl);
  if (!happening) return null;
  const body = JSON.stringify(eventOf(happening, faults), null, 2);
  const shift =
    (faults.futureTimestamp ? OUT_OF_BOUNDS_SECONDS : 0) - (faults.oldTimestamp ? OUT_OF_BOUNDS_SECONDS : 0);
  const time = seconds(Date.now()) + shift;
  const secret = faults.wrongSignature
    ? [...account.webhookSecret].reverse().join('')
    : account.webhookSecret;
  const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
  return {
    url: account.webhookUrl,
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      'Stripe-Signature': `t=${time},v1=${signature}`,
    },
    body,
  };
}
