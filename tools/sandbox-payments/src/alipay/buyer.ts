import { createHash } from 'node:crypto';
import { type Order } from '../orders';

const SHOWN_CHARS = 3;
const SOMEBODY = 'buyer@sandbox.com';
const PREFIX = '2088';
const ID_DIGITS = 12;

/** The same id for the same account. */
function idOf(account: string): string {
  const digest = createHash('sha256').update(account).digest().readBigUInt64BE();
  return PREFIX + digest.toString().padStart(ID_DIGITS, '0').slice(-ID_DIGITS);
}

/** Who scanned the code, under the name that the id has there; nobody has before it was paid, or tried to be. */
export function buyerOf(order: Order, idName: 'buyer_id' | 'buyer_user_id'): Record<string, string> {
  if (order.status !== 'paid' && order.status !== 'failed') return {};
  const account = order.payer.email || SOMEBODY;
  const [name = '', host = ''] = account.split('@');
  return { buyer_logon_id: `${name.slice(0, SHOWN_CHARS)}***@${host}`, [idName]: idOf(account) };
}
