import Stripe from 'stripe';
import { z } from 'zod';
import { type Notification, NotificationRefusal, type RawNotification } from '../payment-provider';
import { checkoutSession, ImplausibleObject, stateOf } from './stripe-answers';

const TOLERANCE_SECONDS = 300;
const OWN_ID = /^[A-Za-z0-9_]{1,32}$/;
const KEY_MODE = /^[sr]k_(live|test)_/;

const event = z.object({
  object: z.literal('event'),
  type: z.string(),
  created: z.int().nonnegative(),
  livemode: z.boolean(),
  /** Of a platform's customer, whose money is not ours. */
  account: z.string().nullish(),
  data: z.object({ object: z.unknown() }),
});
type StripeEvent = z.output<typeof event>;

const labelled = z.object({ metadata: z.record(z.string(), z.unknown()).nullish() });

const PAYMENT_EVENTS = new Set([
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
]);
const REFUND_EVENTS = new Set(['refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated']);

const NOTHING: Notification = { about: 'nothing' };
const malformed = (message: string) => new NotificationRefusal('malformed', message);

/** Who may send notifications, and in which mode. */
export interface WebhookKeys {
  webhookSecrets: string[];
  secretKey: string;
}

/** Reads a notification of a webhook's endpoint; throws a NotificationRefusal. */
export function readNotification(
  stripe: Stripe,
  { headers, body }: RawNotification,
  keys: WebhookKeys,
): Notification {
  const text = textOf(body);
  const header = signatureHeaderOf(headers['stripe-signature']);
  const parsed = event.safeParse(signedContent(stripe, text, header, keys.webhookSecrets));
  if (!parsed.success) throw malformed('It is no event of Stripe.');
  checkMerchant(parsed.data, keys.secretKey);
  if (PAYMENT_EVENTS.has(parsed.data.type)) return paymentNotification(parsed.data);
  return REFUND_EVENTS.has(parsed.data.type) ? refundNotification(parsed.data) : NOTHING;
}

/** Exactly the bytes that were signed: nothing is replaced, and a mark at their beginning is left in place. */
function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw malformed('It is not UTF-8.');
  }
}

/** One time that the signature covers, and that is not in the future; Stripe's own check looks at the past only. */
function signatureHeaderOf(header: string | string[] | undefined): string {
  if (typeof header !== 'string') throw new NotificationRefusal('signature', 'It has no signature.');
  const times = header.split(',').filter((item) => item.startsWith('t='));
  if (times.length !== 1 || !/^t=\d{1,12}$/.test(times[0]!))
    throw new NotificationRefusal('signature', 'Its signature has no time.');
  if (Number(times[0]!.slice(2)) > Date.now() / 1_000 + TOLERANCE_SECONDS)
    throw new NotificationRefusal('signature', 'Its time is in the future.');
  return header;
}

/** More than one secret is good while one replaces another. */
function signedContent(stripe: Stripe, text: string, header: string, secrets: string[]): unknown {
  for (const secret of secrets) {
    try {
      return stripe.webhooks.constructEvent(text, header, secret, TOLERANCE_SECONDS) as unknown;
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) continue;
      throw malformed('It is signed, but is no JSON of an event.');
    }
  }
  throw new NotificationRefusal('signature', 'Its signature is wrong or too old.');
}

/** The endpoint's secret names the account; what else is to be seen in the event must not contradict that. */
function checkMerchant({ livemode, account }: StripeEvent, secretKey: string): void {
  const mode = KEY_MODE.exec(secretKey)?.[1];
  if (mode !== undefined && livemode !== (mode === 'live'))
    throw new NotificationRefusal('merchant', `It is not of the ${mode} mode that the secret key is for.`);
  if (account != null) throw new NotificationRefusal('merchant', 'It is of a connected account.');
}

function paymentNotification({ type, created, data }: StripeEvent): Notification {
  const paymentId = ownIdIn(data.object, 'payment_id');
  if (paymentId === null) return NOTHING;
  const parsed = checkoutSession.safeParse(data.object);
  if (!parsed.success) throw malformed('Its session is not what it should be.');
  try {
    const state = stateOf(parsed.data, new Date(created * 1_000));
    // Its payment intent is not part of the event, so that it failed is all there is to know.
    if (type === 'checkout.session.async_payment_failed' && state.status === 'open')
      return { about: 'payment', paymentId, state: { status: 'failed', reason: 'async_payment_failed' } };
    return { about: 'payment', paymentId, state };
  } catch (error) {
    if (error instanceof ImplausibleObject) throw malformed(error.message);
    throw error;
  }
}

function refundNotification({ data }: StripeEvent): Notification {
  const refundId = ownIdIn(data.object, 'refund_id');
  return refundId === null ? NOTHING : { about: 'refund', refundId };
}

/**
 * Null for what is somebody else's. Only the metadata makes an object ours: nobody else sets them, whereas the
 * client_reference_id of a payment link is whatever the payer writes into its address.
 */
function ownIdIn(object: unknown, name: 'payment_id' | 'refund_id'): string | null {
  const id = labelled.safeParse(object).data?.metadata?.[name];
  return typeof id === 'string' && OWN_ID.test(id) ? id : null;
}
