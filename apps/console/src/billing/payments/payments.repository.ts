import { type Executor, type Position, readNewestFirst, type Transaction } from '@inference/database';
import { In, IsNull } from 'typeorm';
import { type OpenedOrder, type PaymentProviderName } from '../payment-providers/payment-provider';
import { allowedPreviousStatuses, Payment, type PaymentStatus } from './payment.entity';

type NewPayment = Pick<Payment, 'id' | 'accountId' | 'provider' | 'amountMinor' | 'currency' | 'returnUrl'>;

/** What a payment has that is paid. */
type PaidFields = Pick<Payment, 'providerReference' | 'payerName' | 'payerEmail'> & { paidAt: Date };

/** A payment that one replica has claimed, at the time `now`. */
export type ClaimedPayment = Payment & { now: Date };

const COLUMNS = `
  id, account_id AS "accountId", provider, amount_minor AS "amountMinor", currency, status,
  return_url AS "returnUrl", provider_order_id AS "providerOrderId", checkout_type AS "checkoutType",
  checkout_url AS "checkoutUrl", provider_reference AS "providerReference", payer_name AS "payerName",
  payer_email AS "payerEmail", created_at AS "createdAt", expires_at AS "expiresAt", paid_at AS "paidAt",
  ended_at AS "endedAt", seen_at AS "seenAt", failure, next_check_at AS "nextCheckAt", claimed_until AS "claimedUntil", due_at AS "dueAt"`;
/** Keeps the provider's first answer, so that two concurrent requests for one payment return the same checkout. */
const STORE_CHECKOUT = `
  UPDATE billing.payments
  SET provider_order_id = coalesce(provider_order_id, $2), checkout_type = coalesce(checkout_type, $3),
    checkout_url = coalesce(checkout_url, $4)
  WHERE id = $1 RETURNING ${COLUMNS}`;
/** A provider's time has whole seconds and comes from another clock, so it may be before the payment was created. */
const PAY = `
  UPDATE billing.payments
  SET status = 'paid', paid_at = greatest($3, created_at), provider_reference = $4, payer_name = $5, payer_email = $6,
    failure = NULL, next_check_at = NULL, claimed_until = NULL
  WHERE id = $1 AND status = ANY ($2) RETURNING ${COLUMNS}`;
const CLAIM = `
  UPDATE billing.payments SET claimed_until = now() + make_interval(secs => $2)
  WHERE id = $1 AND due_at <= now()
  RETURNING ${COLUMNS}, now() AS now`;

const listIf = (condition: string) => `
  SELECT ${COLUMNS}, to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS at
  FROM billing.payments WHERE account_id = $1 AND ${condition} ORDER BY created_at DESC, id DESC LIMIT $2`;
const LIST = listIf('true');
const LIST_AFTER = listIf('(created_at, id) < ($3, $4)');

/** SQL of the time that is so many seconds after the clock's, or of NULL. */
const secondsAfter = (clock: 'now()' | 'clock_timestamp()', seconds: number | null) => () =>
  `${clock} + make_interval(secs => ${seconds})`;

/** Regardless of the account: for messages of providers and for admins. */
export function findPayment(executor: Executor, id: string): Promise<Payment | null> {
  return executor.repository(Payment).findOneBy({ id });
}

/** Null for an unknown payment and for another account's. */
export function findOwnPayment(executor: Executor, accountId: string, id: string): Promise<Payment | null> {
  return executor.repository(Payment).findOneBy({ id, accountId });
}

/** Locks the payment's row until the transaction ends. Null for an unknown payment. */
export function lockPayment(transaction: Transaction, id: string): Promise<Payment | null> {
  return transaction.repository(Payment).findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
}

/** Locks the account's own payment like lockPayment. Null for an unknown payment and for another account's. */
export function lockOwnPayment(
  transaction: Transaction,
  accountId: string,
  id: string,
): Promise<Payment | null> {
  return transaction
    .repository(Payment)
    .findOne({ where: { id, accountId }, lock: { mode: 'pessimistic_write' } });
}

/** The account's payments, newest first. */
export async function listPayments(
  executor: Executor,
  accountId: string,
  after: Position | null,
  count: number,
): Promise<(Payment & { position: Position })[]> {
  const page = after
    ? { name: 'list_payments_after', text: LIST_AFTER, values: [accountId, count, after.at, after.id] }
    : { name: 'list_payments', text: LIST, values: [accountId, count] };
  const { rows } = await executor.query<Payment & { at: string }>(page);
  return rows.map((row) => ({ ...row, position: { at: row.at, id: row.id } }));
}

/** What admins select payments by. Absent: all. Times are ISO 8601; `to` is not part of the period. */
export interface PaymentFilter {
  accountId?: string | undefined;
  provider?: PaymentProviderName | undefined;
  status?: PaymentStatus | undefined;
  from?: string | undefined;
  to?: string | undefined;
}

/** The payments of all accounts that match the filter, newest first. */
export function listPaymentsOfAll(
  executor: Executor,
  { from, to, ...values }: PaymentFilter,
  after: Position | null,
  count: number,
): Promise<(Payment & { position: Position })[]> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  const query = executor.repository(Payment).createQueryBuilder('payment').where(Object.fromEntries(given));
  if (from !== undefined) query.andWhere('payment.createdAt >= :from', { from });
  if (to !== undefined) query.andWhere('payment.createdAt < :to', { to });
  return readNewestFirst(query, 'createdAt', after, count);
}

export async function findPayments(
  executor: Executor,
  ids: string[],
): Promise<Pick<Payment, 'id' | 'provider'>[]> {
  if (ids.length === 0) return [];
  return executor.repository(Payment).find({ select: { id: true, provider: true }, where: { id: In(ids) } });
}

export function countPendingPayments(transaction: Transaction, accountId: string): Promise<number> {
  return transaction.repository(Payment).countBy({ accountId, status: 'pending' });
}

/** Inserts a pending payment, which expires and is checked for the first time so many seconds later. */
export async function insertPayment(
  transaction: Transaction,
  payment: NewPayment,
  { ttlSeconds, firstCheckSeconds }: { ttlSeconds: number; firstCheckSeconds: number },
): Promise<Payment> {
  const { generatedMaps } = await transaction
    .repository(Payment)
    .createQueryBuilder()
    .insert()
    .values({
      ...payment,
      expiresAt: secondsAfter('clock_timestamp()', ttlSeconds),
      nextCheckAt: secondsAfter('clock_timestamp()', firstCheckSeconds),
    })
    .returning('*')
    .execute();
  return generatedMaps[0] as Payment;
}

/** Stores how the payment is paid, unless that is known already. Returns the payment with what is stored. */
export async function storeCheckout(
  executor: Executor,
  id: string,
  { providerOrderId, checkout }: OpenedOrder,
): Promise<Payment> {
  const values = [id, providerOrderId, checkout.type, checkout.url];
  return (await executor.query<Payment>(STORE_CHECKOUT, values)).rows[0]!;
}

/** Ends a payment that the provider refused, while no checkout is known: one that the payer may have seen stays pending. */
export async function endRefusedPayment(
  transaction: Transaction,
  id: string,
  failure: string,
  nextCheckSeconds: number | null,
): Promise<void> {
  await transaction.repository(Payment).update(
    { id, status: 'pending', checkoutUrl: IsNull() },
    {
      status: 'failed',
      endedAt: () => 'clock_timestamp()',
      failure,
      nextCheckAt: secondsAfter('clock_timestamp()', nextCheckSeconds),
    },
  );
}

/** Returns the payment that is paid now, or null if it was paid before. */
export async function markPaid(
  transaction: Transaction,
  id: string,
  { paidAt, providerReference, payerName, payerEmail }: PaidFields,
): Promise<Payment | null> {
  const previous = allowedPreviousStatuses('paid');
  const values = [id, previous, paidAt, providerReference, payerName, payerEmail];
  return (await transaction.query<Payment>(PAY, values)).rows[0] ?? null;
}

/** Keeps the time at which it was seen first. Returns false unless the account has the payment and it is paid. */
export async function markPaymentSeen(executor: Executor, accountId: string, id: string): Promise<boolean> {
  const { affected } = await executor
    .repository(Payment)
    .update({ id, accountId, status: 'paid' }, { seenAt: () => 'coalesce(seen_at, clock_timestamp())' });
  return affected === 1;
}

/** Ends a payment that was not paid. Returns false if it is no longer pending. */
export async function endUnpaidPayment(
  executor: Executor,
  id: string,
  { status, failure }: { status: 'failed' | 'expired'; failure: string | null },
  nextCheckSeconds: number | null,
): Promise<boolean> {
  const { affected } = await executor.repository(Payment).update(
    { id, status: In(allowedPreviousStatuses(status)) },
    {
      status,
      endedAt: () => 'clock_timestamp()',
      failure,
      claimedUntil: null,
      nextCheckAt: secondsAfter('clock_timestamp()', nextCheckSeconds),
    },
  );
  return affected === 1;
}

/** Claims the payment for `claimSeconds`. Null if it is not due or another replica has claimed it. */
export async function claimDuePayment(
  executor: Executor,
  id: string,
  claimSeconds: number,
): Promise<ClaimedPayment | null> {
  return (await executor.query<ClaimedPayment>(CLAIM, [id, claimSeconds])).rows[0] ?? null;
}

/**
 * Ends the claim and schedules the next check; null: none. Only while the status is the claimed one: whoever changed the
 * status has also set the next check.
 */
export async function releasePayment(
  executor: Executor,
  { id, status }: ClaimedPayment,
  nextCheckSeconds: number | null,
): Promise<void> {
  await executor
    .repository(Payment)
    .update({ id, status }, { nextCheckAt: secondsAfter('now()', nextCheckSeconds), claimedUntil: null });
}
