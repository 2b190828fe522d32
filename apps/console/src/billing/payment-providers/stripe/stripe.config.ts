import { decimalToPicos } from '@inference/money';
import { z } from 'zod';
import { isComplete, listField, providerUrlField } from '../provider-fields';

const DEFAULT_API_URL = 'https://api.stripe.com';

/** Stripe's limits of a charge in USD (docs.stripe.com/currencies). */
export const STRIPE_MIN_PICOS = decimalToPicos('0.50');
export const STRIPE_MAX_PICOS = decimalToPicos('999999.99');

export const stripeFields = {
  /** Secret key of Stripe (`card_provider`), on the site `intl` only. */
  STRIPE_SECRET_KEY: z
    .string()
    .regex(/^(sk|rk)_[A-Za-z0-9_]{16,}$/, 'must be a secret key (sk_… or rk_…)')
    .optional(),
  /** Signing secrets of the webhook's endpoint, comma-separated while one replaces another. */
  STRIPE_WEBHOOK_SECRETS: listField(
    z.string().regex(/^whsec_[A-Za-z0-9+/=_-]{16,}$/, 'must be signing secrets (whsec_…)'),
  ).optional(),
  /** Root of Stripe's API without a path, `https://api.stripe.com` by default. */
  STRIPE_API_URL: providerUrlField()
    .refine((url) => !URL.canParse(url) || new URL(url).pathname === '/', 'must have no path')
    .optional(),
};

export const REQUIRED_BY_STRIPE = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRETS'] as const;

export interface StripeConfig {
  apiUrl: string;
  secretKey: string;
  webhookSecrets: string[];
}

/** Null without credentials. */
export function stripeOf(config: z.output<z.ZodObject<typeof stripeFields>>): StripeConfig | null {
  if (!isComplete(config, REQUIRED_BY_STRIPE)) return null;
  return {
    apiUrl: config.STRIPE_API_URL ?? DEFAULT_API_URL,
    secretKey: config.STRIPE_SECRET_KEY,
    webhookSecrets: config.STRIPE_WEBHOOK_SECRETS,
  };
}
