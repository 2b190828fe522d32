import { type Executor } from '@inference/database';
import { type WalletMovement } from '@inference/wallet';
import { type Payment } from '../payments/payment.entity';
import { findPayments } from '../payments/payments.repository';
import { findRefunds } from '../payments/refunds.repository';

export const TRANSACTION_CAUSES = ['topup', 'usage', 'refund', 'refund_failed', 'correction'] as const;

/** Why money moved. */
export interface TransactionOrigin {
  cause: (typeof TRANSACTION_CAUSES)[number];
  /** Of a top-up or a refund. */
  payment: Pick<Payment, 'id' | 'provider'> | null;
}

type Line = Pick<WalletMovement, 'type' | 'reference'>;

/** The references that top-ups and refunds are posted under. */
const PAYMENT = /^payment:(?<id>.+)$/;
const REFUND = /^refund:(?<id>[^:]+)(?<reversal>:reversal)?$/;

const paymentIdOf = ({ reference }: Line) => PAYMENT.exec(reference ?? '')?.groups?.id;
const refundOf = ({ reference }: Line) => REFUND.exec(reference ?? '')?.groups;

function causeOf(line: Line): TransactionOrigin['cause'] {
  if (line.type !== 'adjustment') return line.type;
  const refund = refundOf(line);
  if (!refund) return 'correction';
  return refund.reversal === undefined ? 'refund' : 'refund_failed';
}

const isPresent = <Value>(value: Value | undefined): value is Value => value !== undefined;

/** Finds out why the money of each line moved, by two statements for all lines. */
export async function readOrigins(executor: Executor, lines: Line[]): Promise<TransactionOrigin[]> {
  const refundIds = lines.map((line) => refundOf(line)?.id).filter(isPresent);
  const refunds = new Map(
    (await findRefunds(executor, refundIds)).map(({ id, paymentId }) => [id, paymentId]),
  );
  const paymentIds = lines.map((line) => paymentIdOf(line) ?? refunds.get(refundOf(line)?.id ?? ''));
  const found = await findPayments(executor, [...new Set(paymentIds.filter(isPresent))]);
  const payments = new Map(found.map((payment) => [payment.id, payment]));
  return lines.map((line, index) => ({
    cause: causeOf(line),
    payment: payments.get(paymentIds[index] ?? '') ?? null,
  }));
}
