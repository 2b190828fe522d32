import { type Executor, type Position, readNewestFirst, type Transaction } from '@inference/database';
import { In, Not } from 'typeorm';
import { type Payment, Refund, type RefundStatus } from './payment.entity';

type NewRefund = Pick<Refund, 'id' | 'paymentId' | 'amountMinor' | 'reason' | 'orderedBy'>;

type RefundOfPayment = Refund & { payment: Payment };

/** A refund in a list, with what the list shows of its payment. */
export type ListedRefund = Refund & { payment: Pick<Payment, 'accountId' | 'currency'>; position: Position };

/** What refunds are selected by. Absent: all. */
export interface RefundFilter {
  accountId?: string | undefined;
  status?: RefundStatus | undefined;
}

/** A refund that one replica has claimed, with what it needs of its payment. */
export type ClaimedRefund = Pick<
  Refund,
  'id' | 'paymentId' | 'amountMinor' | 'status' | 'reason' | 'createdAt'
> &
  Pick<Payment, 'accountId' | 'provider' | 'currency'> & {
    now: Date;
    /** The time of the claim as text with microseconds, which a Date would drop. */
    claimedAt: string;
  };

/** How a refund ended at the provider. */
type RefundEnd = Pick<Refund, 'providerReference' | 'failure'> & { status: 'succeeded' | 'failed' };

const LIST = `
  SELECT id, payment_id AS "paymentId", amount_minor AS "amountMinor", reason, status,
    provider_reference AS "providerReference", failure, ordered_by AS "orderedBy", created_at AS "createdAt",
    ended_at AS "endedAt", next_check_at AS "nextCheckAt", claimed_until AS "claimedUntil", due_at AS "dueAt"
  FROM billing.refunds WHERE payment_id = ANY ($1) ORDER BY created_at, id`;
const INSERT = `
  INSERT INTO billing.refunds (id, payment_id, amount_minor, reason, ordered_by, next_check_at)
  VALUES ($1, $2, $3, $4, $5, clock_timestamp() + make_interval(secs => $6))
  ON CONFLICT (payment_id) WHERE status <> 'failed' DO NOTHING`;
/**
 * A claim sets next_check_at to now(). If it is later when the check ends, a notification has asked for another check
 * meanwhile, and that time is kept.
 */
const claimIf = (condition: string) => `
  UPDATE billing.refunds r SET claimed_until = now() + make_interval(secs => $2), next_check_at = now()
  FROM billing.payments p
  WHERE p.id = r.payment_id AND r.id = $1 AND ${condition}
  RETURNING r.id, r.payment_id AS "paymentId", r.amount_minor AS "amountMinor", r.status, r.reason,
    r.created_at AS "createdAt", p.account_id AS "accountId", p.provider, p.currency, now() AS now,
    now()::text AS "claimedAt"`;
const CLAIM_DUE = claimIf('r.due_at <= now()');
const CLAIM_NOW = claimIf(
  'r.next_check_at IS NOT NULL AND (r.claimed_until IS NULL OR r.claimed_until <= now())',
);
const RELEASE = `
  UPDATE billing.refunds
  SET claimed_until = NULL,
    next_check_at = CASE WHEN next_check_at > $4::timestamptz THEN next_check_at
      ELSE now() + make_interval(secs => $3) END
  WHERE id = $1 AND status = $2`;
const END = `
  UPDATE billing.refunds
  SET status = $3, ended_at = clock_timestamp(), provider_reference = coalesce($4, provider_reference), failure = $5,
    claimed_until = NULL,
    next_check_at = CASE WHEN $3 = 'succeeded' AND next_check_at > $6::timestamptz THEN next_check_at END
  WHERE id = $1 AND status = ANY ($2)`;
const STOP_CHECKING = `
  UPDATE billing.refunds
  SET claimed_until = NULL, next_check_at = CASE WHEN next_check_at > $2::timestamptz THEN next_check_at END
  WHERE id = $1`;
/** A refund may fail after it succeeded: the payer's bank can return the money. */
const ALLOWED_PREVIOUS_STATUSES = { succeeded: ['pending'], failed: ['pending', 'succeeded'] };

export function findRefund(executor: Executor, id: string): Promise<RefundOfPayment | null> {
  const found = executor
    .repository(Refund)
    .createQueryBuilder('refund')
    .innerJoinAndSelect('refund.payment', 'payment')
    .where({ id })
    .getOne();
  return found as Promise<RefundOfPayment | null>;
}

export async function findRefunds(
  executor: Executor,
  ids: string[],
): Promise<Pick<Refund, 'id' | 'paymentId'>[]> {
  if (ids.length === 0) return [];
  return executor.repository(Refund).find({ select: { id: true, paymentId: true }, where: { id: In(ids) } });
}

/** All attempts at refunding these payments, oldest first. */
export async function listRefunds(executor: Executor, paymentIds: string[]): Promise<Refund[]> {
  const list = { name: 'list_refunds', text: LIST, values: [paymentIds] };
  return (await executor.query<Refund>(list)).rows;
}

/** The refunds that match the filter, newest first. */
export async function listRefundsNewestFirst(
  executor: Executor,
  { accountId, status }: RefundFilter,
  after: Position | null,
  count: number,
): Promise<ListedRefund[]> {
  const query = executor
    .repository(Refund)
    .createQueryBuilder('refund')
    .innerJoin('refund.payment', 'payment')
    .addSelect(['payment.id', 'payment.accountId', 'payment.currency']);
  if (accountId !== undefined) query.andWhere('payment.accountId = :accountId', { accountId });
  if (status !== undefined) query.andWhere('refund.status = :status', { status });
  return (await readNewestFirst(query, 'createdAt', after, count)) as ListedRefund[];
}

/** Whether a refund of the payment has succeeded or is under way. */
export function isRefunded(executor: Executor, paymentId: string): Promise<boolean> {
  return executor.repository(Refund).existsBy({ paymentId, status: Not('failed') });
}

/** Makes the refund due for a check at the provider. A failed refund is skipped: a check would order it again. */
export async function requestRefundCheck(executor: Executor, refundId: string): Promise<void> {
  await executor
    .repository(Refund)
    .update({ id: refundId, status: Not('failed') }, { nextCheckAt: () => 'clock_timestamp()' });
}

/** Returns false if the payment has a refund that has succeeded or is under way. */
export async function insertRefund(
  transaction: Transaction,
  { id, paymentId, amountMinor, reason, orderedBy }: NewRefund,
  firstCheckSeconds: number,
): Promise<boolean> {
  const values = [id, paymentId, amountMinor, reason, orderedBy, firstCheckSeconds];
  return (await transaction.query(INSERT, values)).rowCount === 1;
}

/** Claims the refund for `claimSeconds`. Undefined if it is not due or another replica has claimed it. */
export async function claimDueRefund(
  executor: Executor,
  id: string,
  claimSeconds: number,
): Promise<ClaimedRefund | undefined> {
  return (await executor.query<ClaimedRefund>(CLAIM_DUE, [id, claimSeconds])).rows[0];
}

/** Claims the refund before it is due. Undefined if it needs no check or another replica has claimed it. */
export async function claimRefundNow(
  executor: Executor,
  id: string,
  claimSeconds: number,
): Promise<ClaimedRefund | undefined> {
  return (await executor.query<ClaimedRefund>(CLAIM_NOW, [id, claimSeconds])).rows[0];
}

/** Ends the claim and schedules the next check, unless one was requested since the claim. */
export async function releaseRefund(
  executor: Executor,
  { id, status, claimedAt }: ClaimedRefund,
  nextCheckSeconds: number,
): Promise<void> {
  await executor.query(RELEASE, [id, status, nextCheckSeconds, claimedAt]);
}

/** Returns false if the refund's status does not allow this end, for example because it was recorded before. */
export async function endRefund(
  transaction: Transaction,
  { id, claimedAt }: ClaimedRefund,
  { status, providerReference, failure }: RefundEnd,
): Promise<boolean> {
  const previous = ALLOWED_PREVIOUS_STATUSES[status];
  const values = [id, previous, status, providerReference, failure, claimedAt];
  return (await transaction.query(END, values)).rowCount === 1;
}

/** Ends the claim and all checks, except one that was requested since the claim. */
export async function stopRefundChecks(executor: Executor, { id, claimedAt }: ClaimedRefund): Promise<void> {
  await executor.query(STOP_CHECKING, [id, claimedAt]);
}
