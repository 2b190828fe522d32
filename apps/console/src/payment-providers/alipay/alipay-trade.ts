import { z } from 'zod';
import { type Order, type OrderState, ProviderUnavailable } from '../payment-provider';
import { dateOf, fenOf } from './alipay-values';

/** Alipay leaves the currency out of a trade in its own. */
const OWN_CURRENCY = 'CNY';

const CLOSED_UNPAID = 'closed at Alipay, unpaid, after it was begun';
const PAID_BACK = 'was paid back in full at Alipay';

const text = z.string().optional();
/** What is used here of an answer to alipay.trade.query. */
const trade = z.object({
  trade_status: z.enum(['WAIT_BUYER_PAY', 'TRADE_SUCCESS', 'TRADE_FINISHED', 'TRADE_CLOSED']),
  trade_no: text,
  total_amount: z.union([z.string(), z.number()]),
  trans_currency: text,
  send_pay_date: text,
  buyer_user_id: text,
  buyer_open_id: text,
  buyer_logon_id: text,
  buyer_user_name: text,
});
type Trade = z.output<typeof trade>;

/** What becomes of an order whose trade is closed without having been paid. */
export const closedState = (wasBegun: boolean): OrderState =>
  wasBegun ? { status: 'failed', reason: CLOSED_UNPAID } : { status: 'expired' };

/** The same fields in an answer and in a notification, which call the time differently; null when one is missing. */
export function paidState(
  told: Pick<Trade, 'trade_no' | 'total_amount' | 'trans_currency' | 'buyer_user_name'>,
  time: string | undefined,
): OrderState | null {
  const amountMinor = fenOf(told.total_amount);
  const paidAt = dateOf(time);
  if (!told.trade_no || amountMinor === null || paidAt === null) return null;
  return {
    status: 'paid',
    proof: {
      reference: told.trade_no,
      amountMinor,
      // The currency of total_amount; pay_currency and settle_currency are those of other amounts.
      currency: told.trans_currency || OWN_CURRENCY,
      paidAt,
      // The account that Alipay tells of, with asterisks, is neither a name nor an address.
      payer: { name: told.buyer_user_name?.trim() || null, email: null },
    },
  };
}

/** Throws a ProviderUnavailable when the answer cannot be understood. */
export function stateOfTrade(fields: unknown, order: Order): OrderState {
  const parsed = trade.safeParse(fields);
  const state = parsed.success ? stateOf(parsed.data, order) : null;
  if (!state) throw new ProviderUnavailable('alipay.trade.query: an answer that cannot be understood');
  return state;
}

function stateOf(told: Trade, order: Order): OrderState | null {
  switch (told.trade_status) {
    case 'WAIT_BUYER_PAY':
      return { status: 'open' };
    case 'TRADE_CLOSED':
      if (told.send_pay_date) return { status: 'failed', reason: PAID_BACK };
      // Over time Alipay closes every trade that somebody has begun and not paid.
      return closedState(hasBuyer(told) && Date.now() < order.expiresAt.getTime());
    default:
      return paidState(told, told.send_pay_date);
  }
}

const hasBuyer = ({ buyer_user_id, buyer_open_id, buyer_logon_id }: Trade) =>
  Boolean(buyer_user_id || buyer_open_id || buyer_logon_id);
