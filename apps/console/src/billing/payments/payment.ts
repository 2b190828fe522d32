import { type Currency } from '@inference/config';
import { type Sql } from '@inference/database';
import { type Position } from '@inference/http';
import { type PaymentProviderName } from '../payment-providers/payment-provider';
import { type PaymentStatus } from './payment-status';

/** Longest name and address of a payer, in characters: longer than any real one, and short enough for one page. */
export const MAX_PAYER_CHARS = 500;

/** A row of billing.payments. */
export interface Payment {
  id: string;
  accountId: string;
  provider: PaymentProviderName;
  /** In hundredths of the currency. */
  amountMinor: bigint;
  currency: Currency;
  status: PaymentStatus;
  returnUrl: string | null;
  providerOrderId: string | null;
  checkoutType: 'redirect' | 'qr' | null;
  checkoutUrl: string | null;
  providerReference: string | null;
  payerName: string | null;
  payerEmail: string | null;
  createdAt: Date;
  expiresAt: Date;
  paidAt: Date | null;
}

export const PAYMENT_COLUMNS = `
  id, account_id AS "accountId", provider, amount_minor AS "amountMinor", currency, status,
  return_url AS "returnUrl", provider_order_id AS "providerOrderId", checkout_type AS "checkoutType",
  checkout_url AS "checkoutUrl", provider_reference AS "providerReference", payer_name AS "payerName",
  payer_email AS "payerEmail", created_at AS "createdAt", expires_at AS "expiresAt", paid_at AS "paidAt"`;

const FIND = `SELECT ${PAYMENT_COLUMNS} FROM billing.payments WHERE id = $1`;
const FIND_OWN = `${FIND} AND account_id = $2`;
const LOCK = `${FIND} FOR UPDATE`;
const LOCK_OWN = `${FIND_OWN} FOR UPDATE`;

/** Regardless of the account: for messages of providers and for admins. */
export async function findPayment(sql: Sql, id: string): Promise<Payment | null> {
  return (await sql.query<Payment>(FIND, [id])).rows[0] ?? null;
}

/** Null for an unknown payment and for another account's. */
export async function findOwnPayment(sql: Sql, accountId: string, id: string): Promise<Payment | null> {
  return (await sql.query<Payment>(FIND_OWN, [id, accountId])).rows[0] ?? null;
}

/** Locks the payment's row until the caller's transaction ends. Null for an unknown payment. */
export async function lockPayment(sql: Sql, id: string): Promise<Payment | null> {
  return (await sql.query<Payment>(LOCK, [id])).rows[0] ?? null;
}

/** Locks the account's own payment like lockPayment. Null for an unknown payment and for another account's. */
export async function lockOwnPayment(sql: Sql, accountId: string, id: string): Promise<Payment | null> {
  return (await sql.query<Payment>(LOCK_OWN, [id, accountId])).rows[0] ?? null;
}

const LIST = `
  SELECT ${PAYMENT_COLUMNS},
    to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM billing.payments
  WHERE account_id = $1 AND ($2::timestamptz IS NULL OR (created_at, id) < ($2, $3))
  ORDER BY created_at DESC, id DESC LIMIT $4`;

/** The account's payments, newest first. */
export async function listPayments(
  sql: Sql,
  accountId: string,
  after: Position | null,
  limit: number,
): Promise<(Payment & { position: Position })[]> {
  const { rows } = await sql.query<Payment & { at: string }>(LIST, [
    accountId,
    after?.at ?? null,
    after?.id ?? null,
    limit,
  ]);
  return rows.map(({ at, ...payment }) => ({ ...payment, position: { at, id: payment.id } }));
}
