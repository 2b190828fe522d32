import { env } from '@inference/config';

/** Largest total of a quota, in tokens. JSON numbers are exact integers up to 9e15. */
export const MAX_QUOTA_TOKENS = 10 ** 15;

export const quotasFields = {
  /** Total quota in tokens of an account whose quota no admin has set; 0 by default. */
  TRAINING_DEFAULT_QUOTA_TOKENS: env.integer(0, MAX_QUOTA_TOKENS).default(0),
};

export interface QuotasConfig {
  /** Total of an account whose quota no admin has set. */
  defaultTotalTokens: number;
}

export const QUOTAS_CONFIG = Symbol('QUOTAS_CONFIG');

export const quotasOf = (config: { TRAINING_DEFAULT_QUOTA_TOKENS: number }): QuotasConfig => ({
  defaultTotalTokens: config.TRAINING_DEFAULT_QUOTA_TOKENS,
});
