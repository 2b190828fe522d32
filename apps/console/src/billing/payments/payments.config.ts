import { env } from '@inference/config';

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
}

export const paymentsOf = (config: {
  PAYMENT_TTL_SECONDS: number;
  RATE_LIMIT_MULTIPLIER: number;
}): PaymentsConfig => ({
  ttlSeconds: config.PAYMENT_TTL_SECONDS,
  maxPendingPayments: Math.max(1, MAX_PENDING_PAYMENTS * config.RATE_LIMIT_MULTIPLIER),
});
