import { z } from 'zod';
import { decimalField, MONEY_BOUNDS } from '../../validation/money-fields';
import { type TransactionView } from '../transactions/transactions.dto';

export const createAdjustmentDto = z.strictObject({
  account_id: z.string().min(1, 'must not be empty').max(100, 'must have at most 100 characters'),
  /** In the site's currency: positive adds to the wallet, negative deducts. */
  amount: decimalField(MONEY_BOUNDS, (picos) => picos !== 0n, 'must not be zero'),
  description: z.string().trim().min(1, 'must not be empty').max(500, 'must have at most 500 characters'),
});
export type CreateAdjustmentDto = z.output<typeof createAdjustmentDto>;

export type AdjustmentView = TransactionView & { account_id: string };
