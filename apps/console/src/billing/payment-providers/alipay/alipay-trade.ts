import { decimalToScaled } from '@inference/money';
import { z } from 'zod';
import { type OrderState, type ProviderOrder, ProviderUnavailableError } from '../payment-provider';

const CHINA_OFFSET_MS = 8 * 3_600_000;
const TIME = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})$/;
const FEN_DIGITS = 2;
const YUAN = /^\d{1,11}(\.\d{1,2})?$/;

/** Reads an amount in yuan, such as 0.1 or "88.88", as fen. Null if it is not an amount with at most two decimals. */
function parseFen(yuan: unknown): bigint | null {
  if (typeof yuan !== 'string' && typeof yuan !== 'number') return null;
  const text = String(yuan);
  return YUAN.test(text) ? decimalToScaled(text, FEN_DIGITS) : null;
}

/** `88.88` for 8888 fen. */
export function formatYuan(fen: bigint): string {
  const digits = fen.toString().padStart(FEN_DIGITS + 1, '0');
  return `${digits.slice(0, -FEN_DIGITS)}.${digits.slice(-FEN_DIGITS)}`;
}

/** Alipay's time format, in China's time: 2026-06-08 10:34:56. */
export const formatChinaTime = (date: Date): string =>
  new Date(date.getTime() + CHINA_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');

/** Null if the text is not a time in that format. */
export function parseChinaTime(chinaTime: unknown): Date | null {
  const [, day, time] = (typeof chinaTime === 'string' && TIME.exec(chinaTime)) || [];
  const date = new Date(`${day}T${time}+08:00`);
  return Number.isNaN(date.getTime()) ? null : date;
}

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
