import { type Currency } from '@inference/config';
import { type ExactNumber } from '@inference/money';
import { z } from 'zod';
import { minorAmountField, minorToNumber } from '../payments/minor-amount';
import { type Refund, type RefundStatus } from '../payments/refund';

export const createRefundDto = z
  .strictObject({
    /** In the payment's currency; the whole payment by default. */
    amount: minorAmountField().optional(),
    reason: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(200, 'must have at most 200 characters')
      .optional(),
  })
  .default({});
export type CreateRefundDto = z.output<typeof createRefundDto>;

export interface RefundView {
  id: string;
  payment_id: string;
  amount: ExactNumber;
  currency: Currency;
  /** `pending`: the provider has not finished the refund. */
  status: RefundStatus;
  reason: string | null;
  /** The provider's reason for a failure. */
  failure: string | null;
  /** ISO 8601. */
  created_at: string;
}

export function refundView(refund: Refund): RefundView {
  return {
    id: refund.id,
    payment_id: refund.paymentId,
    amount: minorToNumber(refund.amountMinor),
    currency: refund.currency,
    status: refund.status,
    reason: refund.reason,
    failure: refund.failure,
    created_at: refund.createdAt.toISOString(),
  };
}
