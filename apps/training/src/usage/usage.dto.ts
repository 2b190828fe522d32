import { type ExactNumber } from '@inference/money';
import { z } from 'zod';

/** Most tokens of one record: more than one training uses. The sum of a thousand records is still an exact JSON number. */
const MAX_TOKENS = 10 ** 12;
const TOKENS_FORM = `must be a whole number from 1 to ${MAX_TOKENS}`;

const text = (maxChars: number) =>
  z.string().min(1, 'must not be empty').max(maxChars, `must have at most ${maxChars} characters`);

/** The body of `POST /v1/internal/usage`. */
export const usageRecord = z.strictObject({
  /** Id that the trainer assigns: the same for every attempt to report this record, and for no other record. */
  id: text(128),
  account_id: text(100),
  /** The base model that was trained. */
  model: text(200),
  tokens: z.int(TOKENS_FORM).min(1, TOKENS_FORM).max(MAX_TOKENS, TOKENS_FORM),
});
export type UsageRecord = z.output<typeof usageRecord>;

/** The stored record. A repeated report gets the same answer. */
export interface UsageRecordView extends UsageRecord {
  /** In the site's currency. */
  cost: ExactNumber;
  currency: string;
  recorded_at: string;
}
