/**
 * open     may be paid
 * paid     was paid, and perhaps refunded since
 * failed   was tried and did not succeed
 * expired  ran out
 * closed   was closed by the merchant
 */
export type OrderStatus = 'open' | 'paid' | 'failed' | 'expired' | 'closed';
export type ProviderName = 'stripe' | 'wechat' | 'alipay';

export interface Refund {
  /** The merchant's. */
  id: string;
  /** The provider's. */
  reference: string;
  amountMinor: number;
  createdAt: string;
}

/** An order at one of the providers. Times are ISO 8601; amounts in hundredths. */
export interface Order {
  /** The merchant's name for it: the payment's id. */
  id: string;
  provider: ProviderName;
  amountMinor: number;
  /** ISO 4217 in capitals. */
  currency: string;
  description: string;
  status: OrderStatus;
  /** The provider's id of what is paid. */
  reference: string;
  createdAt: string;
  expiresAt: string;
  paidAt: string | null;
  /** What the payer typed on the page. */
  payer: { name: string; email: string };
  /** Null where the merchant has set the address at the provider. */
  notifyUrl: string | null;
  returnUrl: string | null;
  refunds: Refund[];
  /** What one protocol alone needs to keep, such as the id of a checkout session. */
  details: Record<string, string>;
}
