import { type IncomingHttpHeaders } from 'node:http';
import { type Currency } from '@inference/config';

/** Spec: Payment.provider. In this order: Stripe, WeChat Pay, Alipay. */
export const PAYMENT_PROVIDERS = ['card_provider', 'messaging_pay_provider', 'wallet_pay_provider'] as const;
export type PaymentProviderName = (typeof PAYMENT_PROVIDERS)[number];

/** A payment as its provider knows it. */
export interface ProviderOrder {
  /** The payment's id, which is the merchant's order number at the provider: at most 32 of [A-Za-z0-9_]. */
  paymentId: string;
  /** In hundredths of the currency. */
  amountMinor: bigint;
  currency: Currency;
  /** Shown to the payer. */
  description: string;
  expiresAt: Date;
  /** Page to which the payer's browser returns. */
  returnUrl: string;
  /** The provider's own id of the order; null before the order is opened, and for providers without one. */
  providerOrderId: string | null;
}

export interface OpenedOrder {
  providerOrderId: string | null;
  checkout: { type: 'redirect' | 'qr'; url: string };
}

/** Proof that money has arrived, signed by the provider or read from its API. */
export interface PaymentProof {
  /** The provider's transaction id. */
  reference: string;
  amountMinor: bigint;
  /** ISO 4217 in capitals, as the provider states it. */
  currency: string;
  paidAt: Date;
  /** Null where the provider does not name the payer. */
  payer: { name: string | null; email: string | null };
}

/**
 * open     can still be paid
 * paid     paid, with the proof
 * failed   the payment was attempted and cannot succeed any more
 * expired  closed or timed out before it was paid
 * absent   the provider has no such order
 */
export type OrderState =
  | { status: 'open' | 'expired' | 'absent' }
  | { status: 'failed'; reason: string }
  | { status: 'paid'; proof: PaymentProof };

/** A refund to be made. Its id makes the request idempotent. */
export interface RefundRequest {
  /** At most 32 of [A-Za-z0-9_]. */
  refundId: string;
  order: ProviderOrder;
  /** The reference of the payment's proof. */
  paymentReference: string;
  /** In hundredths of the currency; at most what was paid. */
  amountMinor: bigint;
  reason: string | null;
}

/** `pending`: the provider has not finished the refund. */
export type RefundState =
  | { status: 'pending'; reference: string | null }
  | { status: 'succeeded'; reference: string }
  | { status: 'failed'; reason: string };

/** A webhook request as received; signatures cover the bytes of the body. */
export interface RawNotification {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

export const PROVIDER_EVENT_KINDS = ['dispute', 'refund', 'other'] as const;
export type ProviderEventKind = (typeof PROVIDER_EVENT_KINDS)[number];

/** What a provider has signed and the platform does not act on: a person has to look at it. */
export interface ProviderEvent {
  /** The provider's own id, which is the same when the event is sent again. */
  eventId: string;
  /** The provider's name of what happened. */
  type: string;
  kind: ProviderEventKind;
  /** The payment by its id here, or by the provider's reference of its proof; null if it names none. */
  payment: { id?: string; reference?: string } | null;
  /** In hundredths of the currency. */
  amountMinor: bigint | null;
  /** All that was given back of the payment so far, in hundredths, if the provider says so. */
  refundedMinor: bigint | null;
  currency: string | null;
  /** State and reason in the provider's words. */
  status: string | null;
  reason: string | null;
  /** JSON. */
  content: string;
}

/**
 * The content of a verified notification. `nothing`: it is about another system's payment at the same merchant, or a step on the way of
 * a payment that has no effect.
 */
export type ProviderNotification =
  /** `event`: what the notification reports of the payment beside its state. */
  | { about: 'payment'; paymentId: string; state: OrderState; event?: ProviderEvent }
  /** The refund has changed; the provider has to be asked for its state. If this site has no such refund, the event counts. */
  | { about: 'refund'; refundId: string; event: ProviderEvent }
  | { about: 'event'; event: ProviderEvent }
  | { about: 'nothing' };

/** The webhook response that a provider expects. */
export interface Acknowledgement {
  status: number;
  contentType: string;
  body: string;
}

/**
 * Gateway to one provider: its wire protocol only, no business rules. Every call takes at most 15 s and may throw a
 * ProviderUnavailableError or a ProviderRefusedError.
 */
export interface PaymentProvider {
  readonly name: PaymentProviderName;
  /** Opens the order. Idempotent: opening it again returns the same checkout. */
  open(order: ProviderOrder): Promise<OpenedOrder>;
  query(order: ProviderOrder): Promise<OrderState>;
  /**
   * Closes the order, so that it cannot be paid any more, and returns its state: `expired`, `failed` or `absent`, `paid`
   * if it was paid before, `open` if the provider cannot close it yet.
   */
  close(order: ProviderOrder): Promise<OrderState>;
  /** Makes the refund once per refund id, however often it is called, and returns its state. */
  refund(refund: RefundRequest): Promise<RefundState>;
  /**
   * Checks, in this order: the signature over the bytes, its timestamp (too old and in the future), and the merchant or
   * app. Throws an InvalidNotificationError.
   */
  verify(notification: RawNotification): Promise<ProviderNotification>;
  /** The response after which the provider does not send the notification again. */
  acknowledge(): Acknowledgement;
  /** The response after which the provider sends the notification again. `status` is 4xx or 5xx. */
  reject(status: number, message: string): Acknowledgement;
}

/** No conclusive answer: the request may or may not have taken effect. */
export class ProviderUnavailableError extends Error {}

/** The provider refused the request. The message is for the log: it holds the provider's code and no secret. */
export class ProviderRefusedError extends Error {}

/** A notification that is malformed or not authentic. It must have no effect. */
export class InvalidNotificationError extends Error {
  constructor(
    /** `signature` includes a timestamp out of bounds. */
    readonly reason: 'malformed' | 'signature' | 'merchant',
    message: string,
  ) {
    super(message);
  }
}
