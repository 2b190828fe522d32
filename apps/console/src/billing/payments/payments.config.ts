import { env } from '@inference/config';
import { type AllowedOrigins } from '@inference/http';
import { type SiteConfig } from '../../site.config';

export const PAYMENTS_CONFIG = Symbol('PAYMENTS_CONFIG');

/** Scaled by RATE_LIMIT_MULTIPLIER. Each pending payment is polled, and one account must not delay the polling for all others. */
const MAX_PENDING_PAYMENTS = 1_000;

export const paymentFields = {
  /**
   * How long a payment can be paid, in seconds; one hour by default. The bounds are Stripe's 30 minutes and 24 hours,
   * with room for a slow clock.
   */
  PAYMENT_TTL_SECONDS: env.integer(1_860, 86_100).default(3_600),
};

export interface PaymentsConfig {
  ttlSeconds: number;
  /** Most payments that one account may have pending. */
  maxPendingPayments: number;
  /** Origins of the pages to which a payer may be sent back: the console's, its pages' and those of CORS_ORIGINS. */
  returnOrigins: string[];
}

interface Fields {
  PAYMENT_TTL_SECONDS: number;
  RATE_LIMIT_MULTIPLIER: number;
  CORS_ORIGINS?: AllowedOrigins | undefined;
}

export function paymentsOf(
  config: Fields,
  { consoleUrl, consoleUiUrl }: Pick<SiteConfig, 'consoleUrl' | 'consoleUiUrl'>,
): PaymentsConfig {
  // `*` names no origin: it lets pages read answers without a session, and must not let a link lead anywhere.
  const corsOrigins = config.CORS_ORIGINS === '*' ? [] : (config.CORS_ORIGINS ?? []);
  const ownOrigins = [consoleUiUrl, consoleUrl].map((url) => new URL(url).origin);
  return {
    ttlSeconds: config.PAYMENT_TTL_SECONDS,
    maxPendingPayments: Math.max(1, MAX_PENDING_PAYMENTS * config.RATE_LIMIT_MULTIPLIER),
    returnOrigins: [...new Set([...ownOrigins, ...corsOrigins])],
  };
}
