import { type ExactNumber } from '@inference/money';
import { z } from 'zod';

/** More than any report of one training; a total of them still fits a JSON number. */
const MAX_TOKENS = 10 ** 12;
const TOKENS_FORM = `must be a whole number from 1 to ${MAX_TOKENS}`;

const text = (maxChars: number) =>
  z.string().min(1, 'must not be empty').max(maxChars, `must have at most ${maxChars} characters`);

/** The body of `POST /v1/internal/usage`. */
export const usageRecord = z.strictObject({
  /** The trainer's name for this record: one and the same for every attempt to report it, and of no other. */
  id: text(128),
  account_id: text(100),
  /** The base model that was trained. */
  model: text(200),
  tokens: z.int(TOKENS_FORM).min(1, TOKENS_FORM).max(MAX_TOKENS, TOKENS_FORM),
});
export type UsageRecord = z.output<typeof usageRecord>;

/** The record as it was settled; repeated, it is the same. */
export interface UsageRecordView extends UsageRecord {
  /** In the site's currency. */
  cost: ExactNumber;
  currency: string;
  recorded_at: string;
}
