import { type Payment } from '../wallet-queries';

/** A payment that this browser has seen unpaid. */
export interface RememberedPayment {
  id: string;
  /** Its time to pay was over before its money arrived. */
  isEnded: boolean;
  /** Its owner wants to hear no more of its waiting. */
  isHidden: boolean;
}

/** The last time that a provider is asked whether an ended payment was paid is a day after its end. */
const LATE_MILLIS = 2 * 86_400_000;

export interface PaymentNotice {
  /** `late`: paid after the time to pay was over. */
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
  nowMillis: number,
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
      next.push({ id, isEnded: false, isHidden });
      if (payment.checkout && !isHidden && !isOpen) notices.push({ kind: 'pending', payment });
    } else if (before && status === 'paid') {
      if (isOpen) continue;
      next.push(before);
      notices.push({ kind: before.isEnded ? 'late' : 'paid', payment });
    } else if (before && nowMillis - Date.parse(payment.created_at) < LATE_MILLIS)
      next.push({ ...before, isEnded: true });
  }
  return { notices, remembered: next };
}

/** After its notice was closed: waiting is hidden, and an arrival is told once. */
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
  typeof value === 'object' && value !== null && 'id' in value && 'isEnded' in value && 'isHidden' in value;
