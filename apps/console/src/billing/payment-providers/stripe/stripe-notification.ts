import { createHash } from 'node:crypto';
import Stripe from 'stripe';
import { z } from 'zod';
import {
  type ProviderEvent,
  type ProviderEventKind,
  type ProviderNotification,
  InvalidNotificationError,
  type RawNotification,
} from '../payment-provider';
import { checkoutSession, InconsistentObjectError, orderStateOf } from './stripe-objects';

/** Specified: Stripe's default tolerance of a signature's timestamp. */
const TOLERANCE_SECONDS = 300;
/** Specified: ids of Stripe have up to 255 characters. */
const MAX_ID_CHARS = 255;
const OWN_ID = /^[A-Za-z0-9_]{1,32}$/;
const KEY_MODE = /^[sr]k_(live|test)_/;

const event = z.object({
  id: z.string().min(1).max(MAX_ID_CHARS).optional(),
  object: z.literal('event'),
  type: z.string(),
  created: z.int().nonnegative(),
  livemode: z.boolean(),
  /** Set for a connected account, whose payments are not this site's. */
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
/** Of all payments at this Stripe account, on the way to the events above. They need nobody. */
const STEPS =
  /^(payment_intent|charge)\.(created|succeeded|processing|pending|updated|captured|amount_capturable_updated|requires_action)$/;
const KINDS: [RegExp, ProviderEventKind][] = [
  [/^charge\.dispute\./, 'dispute'],
  [/^(charge\.refund|refund\.)/, 'refund'],
];

/** The fields of disputes, charges and refunds that say which payment they are about, and how. */
const described = z.object({
  payment_intent: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
  amount: z.int().nonnegative().nullish(),
  /** Of a charge: all that was given back. */
  amount_refunded: z.int().nonnegative().nullish(),
  currency: z.string().max(10).nullish(),
  status: z.string().max(MAX_ID_CHARS).nullish(),
  reason: z.string().max(MAX_ID_CHARS).nullish(),
});

const IRRELEVANT: ProviderNotification = { about: 'nothing' };
const malformed = (message: string) => new InvalidNotificationError('malformed', message);

/** The webhook's signing secrets, and the secret key, which tells the mode (live or test). */
export interface WebhookKeys {
  webhookSecrets: string[];
  secretKey: string;
}

/** Verifies and reads a notification. Throws an InvalidNotificationError. */
export function readNotification(
  stripe: Stripe,
  { headers, body }: RawNotification,
  keys: WebhookKeys,
): ProviderNotification {
  const text = textOf(body);
  const header = signatureHeaderOf(headers['stripe-signature']);
  const parsed = event.safeParse(signedContent(stripe, text, header, keys.webhookSecrets));
  if (!parsed.success) throw malformed('It is no event of Stripe.');
  checkMerchant(parsed.data, keys.secretKey);
  if (PAYMENT_EVENTS.has(parsed.data.type)) return paymentNotification(parsed.data);
  const unhandled = eventOf(parsed.data, text);
  if (REFUND_EVENTS.has(parsed.data.type)) return refundNotification(parsed.data, unhandled);
  return STEPS.test(parsed.data.type) ? IRRELEVANT : { about: 'event', event: unhandled };
}

const minorOf = (amount: number | null | undefined) => (amount == null ? null : BigInt(amount));

function eventOf({ id, type, data }: StripeEvent, text: string): ProviderEvent {
  const object = described.safeParse(data.object).data ?? {};
  const { payment_intent: intent, amount, amount_refunded: refunded, currency, status, reason } = object;
  const reference = typeof intent === 'string' ? intent : intent?.id;
  return {
    eventId: id ?? createHash('sha256').update(text).digest('hex'),
    type,
    kind: KINDS.find(([pattern]) => pattern.test(type))?.[1] ?? 'other',
    payment: reference === undefined ? null : { reference },
    amountMinor: minorOf(refunded ?? amount),
    refundedMinor: minorOf(refunded),
    currency: currency?.toUpperCase() ?? null,
    status: status ?? null,
    reason: reason ?? null,
    content: text,
  };
}

/** Decodes the signed bytes exactly: invalid UTF-8 is refused and a byte order mark is kept. */
function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw malformed('It is not UTF-8.');
  }
}

/** Requires one timestamp that is not in the future; Stripe's library checks the past only. */
function signatureHeaderOf(header: string | string[] | undefined): string {
  if (typeof header !== 'string' || header === '')
    throw new InvalidNotificationError('signature', 'It has no signature.');
  const times = header.split(',').filter((item) => item.startsWith('t='));
  if (times.length !== 1 || !/^t=\d{1,12}$/.test(times[0]!))
    throw new InvalidNotificationError('signature', 'Its signature has no time.');
  if (Number(times[0]!.slice(2)) > Date.now() / 1_000 + TOLERANCE_SECONDS)
    throw new InvalidNotificationError('signature', 'Its time is in the future.');
  return header;
}

/** Tries every secret, since two are valid during a rotation. */
function signedContent(stripe: Stripe, text: string, header: string, secrets: string[]): unknown {
  for (const secret of secrets) {
    try {
      return stripe.webhooks.constructEvent(text, header, secret, TOLERANCE_SECONDS) as unknown;
    } catch (error) {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) continue;
      throw malformed('It is signed, but is no JSON of an event.');
    }
  }
  throw new InvalidNotificationError('signature', 'Its signature is wrong or too old.');
}

/** The signing secret identifies the account; mode and account of the event must not contradict it. */
function checkMerchant({ livemode, account }: StripeEvent, secretKey: string): void {
  const mode = KEY_MODE.exec(secretKey)?.[1];
  if (mode !== undefined && livemode !== (mode === 'live'))
    throw new InvalidNotificationError(
      'merchant',
      `It is not of the ${mode} mode that the secret key is for.`,
    );
  if (account != null) throw new InvalidNotificationError('merchant', 'It is of a connected account.');
}

function paymentNotification({ type, created, data }: StripeEvent): ProviderNotification {
  const paymentId = ownIdIn(data.object, 'payment_id');
  if (paymentId === null) return IRRELEVANT;
  const parsed = checkoutSession.safeParse(data.object);
  if (!parsed.success) throw malformed('Its session has an unexpected form.');
  try {
    const state = orderStateOf(parsed.data, new Date(created * 1_000));
    // The event does not include the payment intent, so the reason of the failure is unknown.
    if (type === 'checkout.session.async_payment_failed' && state.status === 'open')
      return { about: 'payment', paymentId, state: { status: 'failed', reason: 'async_payment_failed' } };
    return { about: 'payment', paymentId, state };
  } catch (error) {
    if (error instanceof InconsistentObjectError) throw malformed(error.message);
    throw error;
  }
}

/** A refund without an id of this site was made in Stripe's pages. */
function refundNotification({ data }: StripeEvent, event: ProviderEvent): ProviderNotification {
  const refundId = ownIdIn(data.object, 'refund_id');
  return refundId === null ? { about: 'event', event } : { about: 'refund', refundId, event };
}

/**
 * The id of this site's payment or refund; null for other objects of the Stripe account. Only metadata is trusted: a payer
 * can choose the client_reference_id of a payment link.
 */
function ownIdIn(object: unknown, name: 'payment_id' | 'refund_id'): string | null {
  const id = labelled.safeParse(object).data?.metadata?.[name];
  return typeof id === 'string' && OWN_ID.test(id) ? id : null;
}
