import { type Delivery } from '../deliveries';
import { type Order, type OrderStatus, type ProviderName } from './order';

/** The JSON view of an order. Times are ISO 8601. Amounts are in minor units (hundredths). */
export interface SandboxOrder {
  id: string;
  provider: ProviderName;
  status: OrderStatus;
  amount_minor: number;
  currency: string;
  description: string;
  /** The provider's id of the payment. */
  reference: string;
  created_at: string;
  expires_at: string;
  paid_at: string | null;
  payer: { name: string; email: string };
  refunds: { id: string; reference: string; amount_minor: number; created_at: string }[];
  /** The number of notifications that are still to be sent. */
  waiting: number;
  /** Oldest first. */
  deliveries: SandboxDelivery[];
}

/** One attempt to notify the merchant. */
export interface SandboxDelivery {
  /** From 1. */
  attempt: number;
  /** The status of the order at the time of the event. */
  order_status: OrderStatus;
  /** The number of its refunds at that time. */
  refunds: number;
  url: string;
  /** The names of the configured faults. */
  faults: string[];
  /** Null without an answer; `error` then says why. */
  status: number | null;
  body: string | null;
  error: string | null;
  acknowledged: boolean;
  sent_at: string;
}

export const orderView = (order: Order, deliveries: readonly Delivery[], waiting: number): SandboxOrder => ({
  id: order.id,
  provider: order.provider,
  status: order.status,
  amount_minor: order.amountMinor,
  currency: order.currency,
  description: order.description,
  reference: order.reference,
  created_at: order.createdAt,
  expires_at: order.expiresAt,
  paid_at: order.paidAt,
  payer: order.payer,
  refunds: order.refunds.map(({ id, reference, amountMinor, createdAt }) => ({
    id,
    reference,
    amount_minor: amountMinor,
    created_at: createdAt,
  })),
  waiting,
  deliveries: deliveries.map(({ orderStatus, sentAt, ...delivery }) => ({
    ...delivery,
    order_status: orderStatus,
    sent_at: sentAt,
  })),
});
