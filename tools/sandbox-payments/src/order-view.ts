import { type Delivery } from './deliveries';
import { type Order, type OrderStatus, type ProviderName } from './orders';

/** An order as scripts see it. Times are ISO 8601, amounts in hundredths. */
export interface SandboxOrder {
  id: string;
  provider: ProviderName;
  status: OrderStatus;
  amount_minor: number;
  currency: string;
  description: string;
  /** The provider's id of what is paid. */
  reference: string;
  created_at: string;
  expires_at: string;
  paid_at: string | null;
  payer: { name: string; email: string };
  refunds: { id: string; reference: string; amount_minor: number; created_at: string }[];
  /** How many notifications are still to be sent, now or later. */
  waiting: number;
  /** Oldest first. */
  deliveries: SandboxDelivery[];
}

/** One attempt to notify the merchant. */
export interface SandboxDelivery {
  /** From 1. */
  attempt: number;
  /** What it told. */
  order_status: OrderStatus;
  /** How many refunds of it there had been. */
  refunds: number;
  url: string;
  /** As the switches are called. */
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
