import { accountIn, dayIn } from '../admin-payments/payment-search';
import { withoutGaps } from '../usage/usage-search';

const EVENT_TYPE = /^[a-z_]+\.[a-z_]+$/;

/** What the address of the page holds. */
export interface EventSearch {
  /** The id of the account that it happened to. */
  account?: string;
  /** The id of the account that did it. */
  actor?: string;
  /** Such as `api_key.created`; not necessarily one that there is. */
  type?: string;
  /** First and last day, both included, in the time zone of the pages. */
  from?: string;
  to?: string;
}

/** Reads the address. What is not understood is left out. */
export const eventSearchIn = ({ account, actor, type, from, to }: Record<string, unknown>): EventSearch =>
  withoutGaps({
    account: accountIn(account),
    actor: accountIn(actor),
    type: typeof type === 'string' && EVENT_TYPE.test(type) ? type : undefined,
    from: dayIn(from),
    to: dayIn(to),
  });
