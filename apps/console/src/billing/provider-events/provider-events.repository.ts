import { type Executor, newId, type Position, readNewestFirst, type Transaction } from '@inference/database';
import { IsNull, Not } from 'typeorm';
import { type PaymentProviderName, type ProviderEvent } from '../payment-providers/payment-provider';
import { ProviderEventRow } from './provider-event.entity';

/**
 * The payment is found by its id, or by the provider's reference of it. What was given back of it is explained if the refunds of this
 * site amount to it. A repeated event changes nothing.
 */
const INSERT = `
  WITH payment AS (
    SELECT id FROM billing.payments WHERE id = $6 AND provider = $2
    UNION ALL SELECT id FROM billing.payments WHERE provider = $2 AND provider_reference = $7 LIMIT 1
  ), explained AS (
    SELECT $13::bigint <= sum(r.amount_minor) AS is_own FROM (
      -- A refund that fails meanwhile does so before, and explains nothing, or afterwards, and opens this event again.
      SELECT amount_minor FROM billing.refunds
      WHERE payment_id = (SELECT id FROM payment) AND status <> 'failed' FOR SHARE
    ) r
  )
  INSERT INTO billing.provider_events
    (id, provider, event_id, type, kind, payment_id, amount_minor, currency, status, reason, content, closed_at, closed_as)
  SELECT $1, $2, $3, $4, $5, (SELECT id FROM payment), $8, $9, $10, $11, $12,
    CASE WHEN is_own THEN clock_timestamp() END, CASE WHEN is_own THEN 'own_refund' END
  FROM explained
  ON CONFLICT (provider, event_id) DO NOTHING RETURNING closed_as AS "closedAs"`;

/** A failed refund explains nothing, and a payment has one refund that has not failed. */
const REOPEN = `
  UPDATE billing.provider_events SET closed_at = NULL, closed_as = NULL
  WHERE payment_id = $1 AND closed_as = 'own_refund'`;

/** An event in a list, with the account of its payment. */
export type ListedProviderEvent = ProviderEventRow & { position: Position };

/** Stores an event once. Returns whether it is new and waits for a person. */
export async function insertProviderEvent(
  executor: Executor,
  provider: PaymentProviderName,
  event: ProviderEvent,
): Promise<boolean> {
  const { eventId, type, kind, payment, amountMinor, currency, status, reason, content } = event;
  const { rows } = await executor.query<{ closedAs: string | null }>(INSERT, [
    newId('pev'),
    provider,
    eventId,
    type,
    kind,
    payment?.id ?? null,
    payment?.reference ?? null,
    amountMinor,
    currency,
    status,
    reason,
    content,
    event.refundedMinor,
  ]);
  return rows[0]?.closedAs === null;
}

/** Opens the events of a payment again that were closed because a refund of this site seemed to explain them. Returns how many. */
export async function reopenExplainedEvents(transaction: Transaction, paymentId: string): Promise<number> {
  return (await transaction.query(REOPEN, [paymentId])).rowCount ?? 0;
}

const withPayment = (executor: Executor) =>
  executor
    .repository(ProviderEventRow)
    .createQueryBuilder('event')
    .leftJoin('event.payment', 'payment')
    .addSelect(['payment.id', 'payment.accountId']);

/** Newest first. */
export async function listProviderEvents(
  executor: Executor,
  { isOpen }: { isOpen?: boolean | undefined },
  after: Position | null,
  count: number,
): Promise<ListedProviderEvent[]> {
  const query = withPayment(executor);
  if (isOpen !== undefined) query.where({ closedAt: isOpen ? IsNull() : Not(IsNull()) });
  return readNewestFirst(query, 'receivedAt', after, count);
}

export function findProviderEvent(executor: Executor, id: string): Promise<ProviderEventRow | null> {
  return withPayment(executor).where({ id }).getOne();
}

/** Empties what was signed of the events that were closed so long ago. */
export async function emptyOldProviderEvents(executor: Executor, days: number): Promise<void> {
  await executor
    .repository(ProviderEventRow)
    .createQueryBuilder()
    .update({ content: '' })
    .where("content <> '' AND closed_at < now() - make_interval(days => :days)", { days })
    .execute();
}

/** Returns false if there is no such open event. */
export async function closeProviderEvent(
  executor: Executor,
  id: string,
  closedBy: string,
  note: string,
): Promise<boolean> {
  const { affected } = await executor
    .repository(ProviderEventRow)
    .update(
      { id, closedAt: IsNull() },
      { closedAt: () => 'clock_timestamp()', closedAs: 'handled', closedBy, note },
    );
  return affected === 1;
}
