import { type Currency } from '@inference/config';
import { type Sql } from '@inference/database';
import { type ExactNumber } from '@inference/money';
import { z } from 'zod';
import { type PaymentProviderName } from '../payment-providers/payment-provider';
import { amountField, minorAmount } from './payments.dto';

export type RefundStatus = 'pending' | 'succeeded' | 'failed';

/** A row of billing.refunds with what it needs of its payment. */
export interface Refund {
  id: string;
  paymentId: string;
  accountId: string;
  provider: PaymentProviderName;
  /** In hundredths. */
  amountMinor: bigint;
  currency: Currency;
  status: RefundStatus;
  reason: string | null;
  failure: string | null;
  createdAt: Date;
}

/** A refund that one host has to itself for a while. */
export type ClaimedRefund = Refund & {
  now: Date;
  /** The same to the microsecond. */
  claimedAt: string;
};

/** Of billing.refunds r and billing.payments p. */
export const REFUND_COLUMNS = `
  r.id, r.payment_id AS "paymentId", p.account_id AS "accountId", p.provider, r.amount_minor AS "amountMinor",
  p.currency, r.status, r.reason, r.failure, r.created_at AS "createdAt"`;

const FROM = `SELECT ${REFUND_COLUMNS} FROM billing.refunds r JOIN billing.payments p ON p.id = r.payment_id`;

export async function findRefund(sql: Sql, id: string): Promise<Refund | null> {
  return (await sql.query<Refund>(`${FROM} WHERE r.id = $1`, [id])).rows[0] ?? null;
}

/** All attempts at refunding a payment, oldest first. */
export async function listRefunds(sql: Sql, paymentId: string): Promise<Refund[]> {
  return (await sql.query<Refund>(`${FROM} WHERE r.payment_id = $1 ORDER BY r.created_at`, [paymentId])).rows;
}

export const newRefund = z
  .strictObject({
    /** In the payment's currency; the whole payment unless told. */
    amount: amountField().optional(),
    reason: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(200, 'must have at most 200 characters')
      .optional(),
  })
  .default({});
export type NewRefund = z.output<typeof newRefund>;

export interface RefundView {
  id: string;
  payment_id: string;
  amount: ExactNumber;
  currency: Currency;
  /** pending: the provider is still at it. */
  status: RefundStatus;
  reason: string | null;
  /** Why it failed, in the provider's words. */
  failure: string | null;
  /** ISO 8601. */
  created_at: string;
}

export function refundView(refund: Refund): RefundView {
  return {
    id: refund.id,
    payment_id: refund.paymentId,
    amount: minorAmount(refund.amountMinor),
    currency: refund.currency,
    status: refund.status,
    reason: refund.reason,
    failure: refund.failure,
    created_at: refund.createdAt.toISOString(),
  };
}
