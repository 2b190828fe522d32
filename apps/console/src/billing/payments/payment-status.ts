export const PAYMENT_STATUSES = ['pending', 'paid', 'failed', 'expired'] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];

/** The state machine of a payment. A payment that ended unpaid still becomes paid when its money arrives late. */
const ALLOWED_PREVIOUS_STATUSES: Record<PaymentStatus, PaymentStatus[]> = {
  pending: [],
  paid: ['pending', 'failed', 'expired'],
  failed: ['pending'],
  expired: ['pending'],
};

export const allowedPreviousStatuses = (status: PaymentStatus): PaymentStatus[] =>
  ALLOWED_PREVIOUS_STATUSES[status];
