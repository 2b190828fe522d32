export type PaymentStatus = 'pending' | 'paid' | 'failed' | 'expired';

/** From where a payment may come to a status. Money that arrived late is money all the same. */
const COMES_FROM: Record<PaymentStatus, PaymentStatus[]> = {
  pending: [],
  paid: ['pending', 'failed', 'expired'],
  failed: ['pending'],
  expired: ['pending'],
};

export const statusesBefore = (status: PaymentStatus): PaymentStatus[] => COMES_FROM[status];
