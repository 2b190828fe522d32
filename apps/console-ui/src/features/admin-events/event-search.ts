import { ACCOUNT_NUMBER } from '../admin-payments/payment-search';
import { withoutGaps } from '../usage/usage-search';

const EVENT_TYPE = /^[a-z_]+\.[a-z_]+$/;

/** What the address of the page holds. */
export interface EventSearch {
  account?: string;
  /** Such as `api_key.created`; not necessarily one that there is. */
  type?: string;
}

/** Reads the address. What is not understood is left out. */
export const eventSearchIn = ({ account, type }: Record<string, unknown>): EventSearch =>
  withoutGaps({
    account: typeof account === 'string' && ACCOUNT_NUMBER.test(account) ? account : undefined,
    type: typeof type === 'string' && EVENT_TYPE.test(type) ? type : undefined,
  });
