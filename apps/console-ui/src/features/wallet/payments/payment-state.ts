import { type Payment } from '../wallet-queries';

export type PaymentState = Payment['status'] | 'refunded' | 'partlyRefunded';

/** What tells the state of a payment. */
export type StatefulPayment = Pick<Payment, 'status' | 'amount' | 'refunded_amount'>;

/** The status with what was given back, which the service lists apart. */
export function stateOf({ status, amount, refunded_amount: refunded }: StatefulPayment): PaymentState {
  if (status !== 'paid' || refunded.isZero) return status;
  return refunded.compare(amount) >= 0 ? 'refunded' : 'partlyRefunded';
}

/** Whether the money arrived after the time to pay was over. */
export const isLate = ({ status, ended_at: endedAt }: Pick<Payment, 'status' | 'ended_at'>): boolean =>
  status === 'paid' && endedAt !== null;

/** Minutes and seconds until an instant, `4:05`; undefined when it has passed. */
export function timeLeft(until: string, nowMillis: number): string | undefined {
  const seconds = Math.ceil((Date.parse(until) - nowMillis) / 1000);
  if (seconds <= 0) return undefined;
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const pad = (value: number) => String(value).padStart(2, '0');
  return `${hours > 0 ? `${hours}:${pad(minutes)}` : minutes}:${pad(seconds % 60)}`;
}
