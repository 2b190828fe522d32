import { isDay } from '../../time/calendar-day';
import { withoutGaps } from '../usage/usage-search';

export const STATUSES = ['pending', 'paid', 'failed', 'expired'] as const;
export const PROVIDERS = ['card_provider', 'messaging_pay_provider', 'wallet_pay_provider'] as const;
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

const dayIn = (value: unknown) => (isDay(value) ? value : undefined);

/** Reads the address. What is not understood is left out. */
export const paymentSearchIn = (search: Record<string, unknown>): PaymentSearch => {
  const account = search['account'];
  return withoutGaps({
    account: typeof account === 'string' && ACCOUNT_NUMBER.test(account) ? account : undefined,
    status: STATUSES.find((status) => status === search['status']),
    provider: PROVIDERS.find((provider) => provider === search['provider']),
    from: dayIn(search['from']),
    to: dayIn(search['to']),
  });
};
