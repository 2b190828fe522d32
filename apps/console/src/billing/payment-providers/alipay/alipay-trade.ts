import { z } from 'zod';
import { type ProviderOrder, type OrderState, ProviderUnavailableError } from '../payment-provider';
import { parseChinaTime, parseFen } from './alipay-formats';

/** The currency of a trade in which Alipay names none. */
const DEFAULT_CURRENCY = 'CNY';

const CLOSED_UNPAID_REASON = 'closed at Alipay, unpaid, after it was begun';
const REFUNDED_REASON = 'was paid back in full at Alipay';

const text = z.string().optional();
/** The fields of alipay.trade.query that are used here. */
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

/** State of an order whose trade was closed unpaid. `wasBegun`: a payer had opened it. */
export const closedState = (wasBegun: boolean): OrderState =>
  wasBegun ? { status: 'failed', reason: CLOSED_UNPAID_REASON } : { status: 'expired' };

/** From the fields that responses and notifications share; the name of the time differs. Null if one is missing. */
export function paidState(
  fields: Pick<Trade, 'trade_no' | 'total_amount' | 'trans_currency' | 'buyer_user_name'>,
  time: string | undefined,
): OrderState | null {
  const amountMinor = parseFen(fields.total_amount);
  const paidAt = parseChinaTime(time);
  if (!fields.trade_no || amountMinor === null || paidAt === null) return null;
  return {
    status: 'paid',
    proof: {
      reference: fields.trade_no,
      amountMinor,
      // trans_currency is the currency of total_amount; pay_currency and settle_currency belong to other amounts.
      currency: fields.trans_currency || DEFAULT_CURRENCY,
      paidAt,
      // buyer_logon_id is masked with asterisks, so it is no usable address.
      payer: { name: fields.buyer_user_name?.trim() || null, email: null },
    },
  };
}

/** Throws a ProviderUnavailableError if the response cannot be understood. */
export function orderStateOfTrade(fields: unknown, order: ProviderOrder): OrderState {
  const parsed = trade.safeParse(fields);
  const state = parsed.success ? stateOfStatus(parsed.data, order) : null;
  if (!state) throw new ProviderUnavailableError('alipay.trade.query: an answer that cannot be understood');
  return state;
}

function stateOfStatus(trade: Trade, order: ProviderOrder): OrderState | null {
  switch (trade.trade_status) {
    case 'WAIT_BUYER_PAY':
      return { status: 'open' };
    case 'TRADE_CLOSED':
      if (trade.send_pay_date) return { status: 'failed', reason: REFUNDED_REASON };
      // After the timeout Alipay closes every trade that was begun and not paid; that is an expiry.
      return closedState(hasBuyer(trade) && Date.now() < order.expiresAt.getTime());
    default:
      return paidState(trade, trade.send_pay_date);
  }
}

const hasBuyer = ({ buyer_user_id, buyer_open_id, buyer_logon_id }: Trade) =>
  Boolean(buyer_user_id || buyer_open_id || buyer_logon_id);
