import { type ExactNumber } from '@inference/money';
import { z } from 'zod';
import { decimalField, MONEY_BOUNDS } from '../money-fields';
import { slugField } from '../pricing/slug';

export const newApiKey = z.strictObject({
  name: z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters'),
  /** In the site's currency; absent or null: none. */
  spend_limit: decimalField(MONEY_BOUNDS, (picos) => picos > 0n, 'must be positive').nullish(),
  /** Absent or null: all. */
  allowed_models: z
    .array(slugField)
    .min(1, 'must name a model; leave it out to allow all')
    .max(1_000, 'must have at most 1000 entries')
    .transform((slugs) => [...new Set(slugs)])
    .nullish(),
});
export type NewApiKey = z.output<typeof newApiKey>;

/** Spec: API key. The secret itself is in the answer to its creation only. */
export interface ApiKeyView {
  id: string;
  name: string;
  prefix: string;
  /** ISO 8601. */
  created_at: string;
  /** ISO 8601, to within ten seconds. */
  last_used_at: string | null;
  /** In the site's currency. */
  spend_limit: ExactNumber | null;
  allowed_models: string[] | null;
}

export type CreatedApiKeyView = Omit<ApiKeyView, 'last_used_at'> & { key: string };
