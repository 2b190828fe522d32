/**
 * open     may be paid
 * paid     was paid, and may be refunded
 * failed   a payment attempt failed
 * expired  reached its expiry time
 * closed   was closed by the merchant
 */
export type OrderStatus = 'open' | 'paid' | 'failed' | 'expired' | 'closed';
export type ProviderName = 'stripe' | 'wechat' | 'alipay';

export interface Refund {
  /** The merchant's id of the refund. */
  id: string;
  /** The provider's id of the refund. */
  reference: string;
  amountMinor: number;
  createdAt: string;
}

/** An order at one of the providers. Times are ISO 8601. Amounts are in minor units (hundredths). */
export interface Order {
  /** The merchant's reference: the payment id. */
  id: string;
  provider: ProviderName;
  amountMinor: number;
  /** ISO 4217 in capitals. */
  currency: string;
  description: string;
  status: OrderStatus;
  /** The provider's id of the payment. */
  reference: string;
  createdAt: string;
  expiresAt: string;
  paidAt: string | null;
  /** The payer details from the pay form. */
  payer: { name: string; email: string };
  /** Null if the merchant has configured the address at the provider. */
  notifyUrl: string | null;
  returnUrl: string | null;
  refunds: Refund[];
  /** Data of one protocol, such as the id of a checkout session. */
  details: Record<string, string>;
}
