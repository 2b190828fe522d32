import { z } from 'zod';
import { MAX_QUOTA_TOKENS } from './quotas.config';

const TOTAL_FORM = `must be a whole number from 0 to ${MAX_QUOTA_TOKENS}`;

/** The body of `PUT /v1/admin/quotas/:accountId`. */
export const newQuota = z.strictObject({
  /** In tokens. A total below the used tokens stops the account's trainings. */
  total: z.int(TOTAL_FORM).min(0, TOTAL_FORM).max(MAX_QUOTA_TOKENS, TOTAL_FORM),
});
export type NewQuota = z.output<typeof newQuota>;

export interface QuotaView {
  account_id: string;
  total: number;
  used: number;
  /** The last 50 changes of the total, newest first. */
  changes: { from: number; to: number; changed_by: string; changed_at: string }[];
}
