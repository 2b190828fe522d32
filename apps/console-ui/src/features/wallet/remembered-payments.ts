import { isLate, type Payment } from './wallet-queries';

/** A payment that this browser has seen unpaid. */
export interface RememberedPayment {
  id: string;
  /** Its owner wants to hear no more of its waiting. */
  isHidden: boolean;
}

export interface PaymentNotice {
  /** `late`: paid after the time to pay was over. It is told in every browser until it is closed in one. */
  kind: 'pending' | 'paid' | 'late';
  payment: Payment;
}

/**
 * Compares the newest payments with what this browser remembers.
 *
 * @param openId the payment whose page is open and tells the same
 * @returns what to tell, and what to remember from now on
 */
export function comparePayments(
  remembered: RememberedPayment[],
  payments: Payment[],
  openId: string | undefined,
): { notices: PaymentNotice[]; remembered: RememberedPayment[] } {
  const known = new Map(remembered.map((payment) => [payment.id, payment]));
  const notices: PaymentNotice[] = [];
  const next: RememberedPayment[] = [];
  for (const payment of payments) {
    const { id, status } = payment;
    const before = known.get(id);
    const isOpen = id === openId;
    if (status === 'pending') {
      const isHidden = before?.isHidden ?? false;
      next.push({ id, isHidden });
      if (payment.checkout && !isHidden && !isOpen) notices.push({ kind: 'pending', payment });
    } else if (isLate(payment)) {
      if (payment.seen_at === null && !isOpen) notices.push({ kind: 'late', payment });
    } else if (before && status === 'paid' && !isOpen) {
      next.push(before);
      notices.push({ kind: 'paid', payment });
    }
  }
  return { notices, remembered: next };
}

/** After its notice was closed: waiting is hidden, and an arrival in time is told once. */
export const withoutNotice = (
  remembered: RememberedPayment[],
  { kind, payment: { id } }: PaymentNotice,
): RememberedPayment[] =>
  kind === 'pending'
    ? remembered.map((payment) => (payment.id === id ? { ...payment, isHidden: true } : payment))
    : remembered.filter((payment) => payment.id !== id);

/** What the storage of the browser holds; anybody may have changed it. */
export function parseRemembered(text: string | undefined): RememberedPayment[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(list) ? list.filter(isRemembered) : [];
  } catch {
    return [];
  }
}

const isRemembered = (value: unknown): value is RememberedPayment =>
  typeof value === 'object' && value !== null && 'id' in value && 'isHidden' in value;
