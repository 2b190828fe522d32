import { type Currency } from '@inference/config';
import { type Sql } from '@inference/database';
import { type PaymentProviderName } from '../payment-providers/payment-provider';

export const REFUND_STATUSES = ['pending', 'succeeded', 'failed'] as const;
export type RefundStatus = (typeof REFUND_STATUSES)[number];

/** A row of billing.refunds with what it needs of its payment. */
export interface Refund {
  id: string;
  paymentId: string;
  accountId: string;
  provider: PaymentProviderName;
  /** In hundredths of the currency. */
  amountMinor: bigint;
  currency: Currency;
  status: RefundStatus;
  reason: string | null;
  failure: string | null;
  createdAt: Date;
}

/** A refund that one replica has claimed. */
export type ClaimedRefund = Refund & {
  now: Date;
  /** The time of the claim as text with microseconds, which a Date would drop. */
  claimedAt: string;
};

/** Columns of a refund; the query names the tables `billing.refunds r` and `billing.payments p`. */
export const REFUND_COLUMNS = `
  r.id, r.payment_id AS "paymentId", p.account_id AS "accountId", p.provider, r.amount_minor AS "amountMinor",
  p.currency, r.status, r.reason, r.failure, r.created_at AS "createdAt"`;

const SELECT = `SELECT ${REFUND_COLUMNS} FROM billing.refunds r JOIN billing.payments p ON p.id = r.payment_id`;
const LIST = `${SELECT} WHERE r.payment_id = ANY ($1) ORDER BY r.created_at, r.id`;
const IS_REFUNDED = "SELECT FROM billing.refunds WHERE payment_id = $1 AND status <> 'failed'";
const REQUEST_CHECK = `
  UPDATE billing.refunds SET next_check_at = clock_timestamp() WHERE id = $1 AND status <> 'failed'`;

export async function findRefund(sql: Sql, id: string): Promise<Refund | null> {
  return (await sql.query<Refund>(`${SELECT} WHERE r.id = $1`, [id])).rows[0] ?? null;
}

/** All attempts at refunding these payments, oldest first. */
export async function listRefunds(sql: Sql, paymentIds: string[]): Promise<Refund[]> {
  return (await sql.query<Refund>(LIST, [paymentIds])).rows;
}

/** What was given back, in hundredths of the currency. Pending and failed refunds do not count. */
export const refundedMinor = (refunds: Refund[]): bigint =>
  refunds.reduce((sum, { status, amountMinor }) => (status === 'succeeded' ? sum + amountMinor : sum), 0n);

/** Whether a refund of the payment has succeeded or is under way. */
export async function isRefunded(sql: Sql, paymentId: string): Promise<boolean> {
  return (await sql.query(IS_REFUNDED, [paymentId])).rowCount !== 0;
}

/** Makes the refund due for a check at the provider. A failed refund is skipped: a check would order it again. */
export async function requestRefundCheck(sql: Sql, refundId: string): Promise<void> {
  await sql.query(REQUEST_CHECK, [refundId]);
}
