import { type IncomingHttpHeaders } from 'node:http';
import { type Currency } from '@inference/config';

/** Spec: Payment.provider. Stripe, WeChat Pay and Alipay, in this order. */
export const PAYMENT_PROVIDERS = ['card_provider', 'messaging_pay_provider', 'wallet_pay_provider'] as const;
export type PaymentProviderName = (typeof PAYMENT_PROVIDERS)[number];

/** A payment as a provider has to know it. */
export interface Order {
  /** The payment's id, under which the provider knows the order: at most 32 of [A-Za-z0-9_]. */
  paymentId: string;
  /** In hundredths of the currency. */
  amountMinor: bigint;
  currency: Currency;
  /** What the payer reads. */
  description: string;
  expiresAt: Date;
  /** Where the payer's browser goes afterwards. */
  returnUrl: string;
  /** The provider's own id of the order, once it has one. */
  providerOrderId: string | null;
}

export interface OpenedOrder {
  providerOrderId: string | null;
  checkout: { type: 'redirect' | 'qr'; url: string };
}

/** What a provider proves of money that has arrived, by its signature or over its own API. */
export interface PaidProof {
  /** The provider's transaction id. */
  reference: string;
  amountMinor: bigint;
  /** ISO 4217 as the provider says it, in capitals. */
  currency: string;
  paidAt: Date;
  /** Who paid, as far as the provider tells. */
  payer: { name: string | null; email: string | null };
}

/**
 * open     may still be paid
 * paid     with the proof
 * failed   was tried and will never be paid
 * expired  was closed, or ran out, unpaid
 * absent   the provider has no such order
 */
export type OrderState =
  | { status: 'open' | 'expired' | 'absent' }
  | { status: 'failed'; reason: string }
  | { status: 'paid'; proof: PaidProof };

/** Money to give back. Asking again with the same id asks for the same refund. */
export interface RefundOrder {
  /** At most 32 of [A-Za-z0-9_]. */
  refundId: string;
  order: Order;
  /** The PaidProof's. */
  paymentReference: string;
  /** In hundredths, at most what was paid. */
  amountMinor: bigint;
  reason: string | null;
}

/** pending: the provider is still at it. */
export type RefundState =
  | { status: 'pending'; reference: string | null }
  | { status: 'succeeded'; reference: string }
  | { status: 'failed'; reason: string };

/** What a provider has sent to its webhook: the bytes as they came. */
export interface RawNotification {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** What a genuine notification says. `nothing`: something that no payment or refund here depends on. */
export type Notification =
  | { about: 'payment'; paymentId: string; state: OrderState }
  /** Only that something has happened to it: the provider is asked what. */
  | { about: 'refund'; refundId: string }
  | { about: 'nothing' };

/** The answer that a provider expects of a webhook. */
export interface Acknowledgement {
  status: number;
  contentType: string;
  body: string;
}

/**
 * One provider's wire protocol, and nothing of what follows from what it says. Every call may throw a
 * ProviderUnavailable or a ProviderRefusal, and takes at most 15 s.
 */
export interface PaymentProvider {
  readonly name: PaymentProviderName;
  /** Opens the order; opening the same one again gives the same checkout. */
  open(order: Order): Promise<OpenedOrder>;
  query(order: Order): Promise<OrderState>;
  /**
   * Afterwards the order cannot be paid any more, unless it was paid before: `expired`, `failed`, `absent`, or `paid`.
   */
  close(order: Order): Promise<OrderState>;
  /** Gives money back, once per refund id however often it is asked; says how far that is. */
  refund(refund: RefundOrder): Promise<RefundState>;
  /**
   * Checks, in this order: the signature over the bytes, its time (both ways), the app or merchant it is for.
   * Throws a NotificationRefusal.
   */
  verify(notification: RawNotification): Promise<Notification>;
  /** Says that a notification was dealt with; the provider sends it no more. */
  acknowledge(): Acknowledgement;
  /** Says that it was not; the provider sends it again. `status` is 4xx or 5xx. */
  decline(status: number, message: string): Acknowledgement;
}

/** No answer, or none that says what has become of the request: it may have taken effect. */
export class ProviderUnavailable extends Error {}

/** A clear no. The message is for the log: it names the provider's code, never a secret. */
export class ProviderRefusal extends Error {}

/** A notification that is not what it should be; nothing may follow from it. */
export class NotificationRefusal extends Error {
  constructor(
    /** `signature` includes a time out of bounds. */
    readonly fault: 'malformed' | 'signature' | 'merchant',
    message: string,
  ) {
    super(message);
  }
}
