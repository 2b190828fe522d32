import { isDay } from '../../time/calendar-day';
import { withoutGaps } from '../usage/usage-search';

export const STATUSES = ['pending', 'paid', 'failed', 'expired'] as const;
export const PROVIDERS = ['card_provider', 'messaging_pay_provider', 'wallet_pay_provider'] as const;
export const REFUND_STATUSES = ['pending', 'succeeded', 'failed'] as const;
export const ACCOUNT_NUMBER = /^acct_[0-9A-Za-z]+$/;

/** What the address of the page holds. */
export interface PaymentSearch {
  account?: string;
  status?: (typeof STATUSES)[number];
  provider?: (typeof PROVIDERS)[number];
  /** First and last day, both included, in the time zone of the pages. */
  from?: string;
  to?: string;
}

/** What the address of the page of refunds holds. */
export interface RefundSearch {
  account?: string;
  status?: (typeof REFUND_STATUSES)[number];
}

export const accountIn = (value: unknown) =>
  typeof value === 'string' && ACCOUNT_NUMBER.test(value) ? value : undefined;
export const dayIn = (value: unknown) => (isDay(value) ? value : undefined);

/** Reads the address. What is not understood is left out. */
export const paymentSearchIn = (search: Record<string, unknown>): PaymentSearch =>
  withoutGaps({
    account: accountIn(search['account']),
    status: STATUSES.find((status) => status === search['status']),
    provider: PROVIDERS.find((provider) => provider === search['provider']),
    from: dayIn(search['from']),
    to: dayIn(search['to']),
  });

/** Reads the address of the page of refunds. What is not understood is left out. */
export const refundSearchIn = (search: Record<string, unknown>): RefundSearch =>
  withoutGaps({
    account: accountIn(search['account']),
    status: REFUND_STATUSES.find((status) => status === search['status']),
  });
