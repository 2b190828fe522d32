import { type SiteConfig } from '../../site.config';
import { type ProviderOrder } from '../payment-providers/payment-provider';
import { type Payment } from './payment.entity';

/** Most payers finish within seconds: twice lets them wait longer after a lost notification, half doubles the calls for payments in progress. */
export const FIRST_CHECK_SECONDS = 5;
/** The longest time for which a lost notification delays a credit; half doubles the calls for old payments. */
const MAX_PAUSE_SECONDS = 600;
/** The pause grows with the age of a payment: about 20 calls in its first hour. Half nearly doubles them. */
const PAUSE_PER_AGE = 1 / 3;
/** A payment that ended is checked again, because money may arrive up to an hour, or up to a day, after the end. */
const CHECKS_AFTER_END_SECONDS = [3_600, 86_400];

/** Seconds until the provider is asked again about a pending payment or refund of this age. */
export function nextCheckSeconds(ageSeconds: number): number {
  return Math.min(Math.max(ageSeconds * PAUSE_PER_AGE, FIRST_CHECK_SECONDS), MAX_PAUSE_SECONDS);
}

/** Seconds until the next check of a payment that ended unpaid so many seconds ago; null after the last check. */
export function nextCheckAfterEndSeconds(endedSecondsAgo: number): number | null {
  const next = CHECKS_AFTER_END_SECONDS.find((seconds) => seconds > endedSecondsAgo);
  return next === undefined ? null : next - endedSecondsAgo;
}

/** The provider order of a payment. It is the same at every call, as idempotent provider APIs require. */
export function toProviderOrder(
  payment: Payment,
  { name, consoleUiUrl }: Pick<SiteConfig, 'name' | 'consoleUiUrl'>,
): ProviderOrder {
  return {
    paymentId: payment.id,
    amountMinor: payment.amountMinor,
    currency: payment.currency,
    description: name,
    expiresAt: payment.expiresAt,
    returnUrl: payment.returnUrl ?? `${consoleUiUrl}/payments/${payment.id}`,
    providerOrderId: payment.providerOrderId,
  };
}
