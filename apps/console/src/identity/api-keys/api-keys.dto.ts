import { type ExactNumber } from '@inference/money';
import { z } from 'zod';
import { decimalField, MONEY_BOUNDS } from '../../validation/money-fields';
import { modelSlug } from '../../validation/model-slug';

export const newApiKey = z.strictObject({
  name: z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters'),
  /** In the site's currency. Absent or null: no limit. */
  spend_limit: decimalField(MONEY_BOUNDS, (picos) => picos > 0n, 'must be positive').nullish(),
  /** Slugs. Absent or null: all models. */
  allowed_models: z
    .array(modelSlug)
    .min(1, 'must name a model; leave it out to allow all')
    .max(1_000, 'must have at most 1000 entries')
    .transform((slugs) => [...new Set(slugs)])
    .nullish(),
});
export type NewApiKey = z.output<typeof newApiKey>;

/** The key itself is only in the response to its creation. */
export interface ApiKeyView {
  id: string;
  name: string;
  prefix: string;
  /** ISO 8601. */
  created_at: string;
  /** ISO 8601, accurate to ten seconds. */
  last_used_at: string | null;
  /** In the site's currency. */
  spend_limit: ExactNumber | null;
  allowed_models: string[] | null;
}

export type CreatedApiKeyView = Omit<ApiKeyView, 'last_used_at'> & { key: string };
