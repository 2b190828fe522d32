import { createHash } from 'node:crypto';
import { type Order } from '../orders/order';

const SHOWN_CHARS = 3;
const SOMEBODY = 'buyer@sandbox.com';
const PREFIX = '2088';
const ID_DIGITS = 12;

/** Derived from the account, so that an account always has the same id. */
function idOf(account: string): string {
  const digest = createHash('sha256').update(account).digest().readBigUInt64BE();
  return PREFIX + digest.toString().padStart(ID_DIGITS, '0').slice(-ID_DIGITS);
}

/**
 * The buyer fields of a trade. `idName` is the name of the id field, which differs between messages.
 * Empty unless the order is paid or its payment has failed.
 */
export function buyerOf(order: Order, idName: 'buyer_id' | 'buyer_user_id'): Record<string, string> {
  if (order.status !== 'paid' && order.status !== 'failed') return {};
  const account = order.payer.email || SOMEBODY;
  const [name = '', host = ''] = account.split('@');
  return { buyer_logon_id: `${name.slice(0, SHOWN_CHARS)}***@${host}`, [idName]: idOf(account) };
}
