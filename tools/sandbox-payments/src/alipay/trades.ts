import { createHash, randomInt } from 'node:crypto';
import { z } from 'zod';
import { type OrderBook } from '../orders/order-book';
import { type Order } from '../orders/order';
import { type AlipayAccount } from '../credentials/provider-accounts';
import { amount, businessError, fen, id, parsed, tradeNames, yuan } from './biz-content';
import { chinaTime, readChinaTime } from './china-time';

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

const DEFAULT_LIFE_MS = 2 * 3_600_000;
const RANDOM_DIGITS = 20;

const newTrade = z.object({
  out_trade_no: id,
  total_amount: amount,
  subject: z
    .string()
    .min(1)
    .max(256)
    .regex(/^[^/=&]*$/),
  product_code: z.enum(['QR_CODE_OFFLINE', 'FACE_TO_FACE_PAYMENT']).default('FACE_TO_FACE_PAYMENT'),
  seller_id: z.string().optional(),
  time_expire: z.string().optional(),
});
type NewTrade = z.output<typeof newTrade>;
const named = z.object(tradeNames);

/** A trade number in Alipay's format: 28 digits that start with the date. */
const newTradeNo = (): string =>
  chinaTime(Date.now()).slice(0, 10).replaceAll('-', '') +
  Array.from({ length: RANDOM_DIGITS }, () => randomInt(10)).join('');

export const refundedFen = (order: Order): number =>
  order.refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0);

/** TRADE_CLOSED covers trades that can no longer be paid and trades that were refunded in full. */
export function tradeStatus(order: Order): string {
  if (order.status === 'open') return 'WAIT_BUYER_PAY';
  const isPaid = order.status === 'paid' && refundedFen(order) < order.amountMinor;
  return isPaid ? 'TRADE_SUCCESS' : 'TRADE_CLOSED';
}

/** alipay.trade.precreate, .query and .close. The results do not include code and msg. */
export class Trades {
  constructor(
    private readonly book: OrderBook,
    private readonly account: AlipayAccount,
    private readonly sandboxUrl: () => string,
  ) {}

  /** Idempotent. Unlike at Alipay, the trade exists before the code is scanned. */
  precreate(bizContent: string, notifyUrl: string | null) {
    const input = parsed(newTrade, bizContent);
    if (input.seller_id !== undefined && input.seller_id !== this.account.sellerId)
      throw businessError('ACQ.INVALID_PARAMETER', '参数无效：seller_id');
    const known = this.book.find(input.out_trade_no);
    if (known) this.checkSame(known, input);
    const order = known ?? this.open(input, notifyUrl);
    return { out_trade_no: order.id, qr_code: order.details.code_url! };
  }

  query(bizContent: string) {
    const order = this.find(parsed(named, bizContent));
    const { amountMinor, paidAt, payer } = order;
    const total = yuan(amountMinor);
    const paid = order.status === 'paid' && paidAt !== null;
    return {
      ...buyerOf(order, 'buyer_user_id'),
      buyer_pay_amount: paid ? total : '0.00',
      ...(paid && payer.name !== '' && { buyer_user_name: payer.name }),
      buyer_user_type: 'PRIVATE',
      invoice_amount: paid ? total : '0.00',
      out_trade_no: order.id,
      point_amount: '0.00',
      receipt_amount: paid ? total : '0.00',
      ...(paid && { send_pay_date: chinaTime(Date.parse(paidAt)) }),
      total_amount: total,
      trade_no: order.reference,
      trade_status: tradeStatus(order),
    };
  }

  close(bizContent: string) {
    const order = this.find(parsed(named, bizContent));
    if (order.status !== 'open') throw businessError('ACQ.TRADE_STATUS_ERROR', '交易状态不合法');
    this.book.close(order);
    return { out_trade_no: order.id, trade_no: order.reference };
  }

  find({ out_trade_no, trade_no }: z.output<typeof named>): Order {
    if (out_trade_no === undefined && trade_no === undefined)
      throw businessError('ACQ.INVALID_PARAMETER', '参数无效：out_trade_no和trade_no不能同时为空');
    const order = this.book.findWhere(
      ({ provider, id: known, reference }) =>
        provider === 'alipay' && (trade_no === undefined ? known === out_trade_no : reference === trade_no),
    );
    if (!order) throw businessError('ACQ.TRADE_NOT_EXIST', '交易不存在');
    return order;
  }

  private open(input: NewTrade, notifyUrl: string | null): Order {
    const expiry =
      input.time_expire === undefined ? Date.now() + DEFAULT_LIFE_MS : readChinaTime(input.time_expire);
    if (!(expiry > Date.now())) throw businessError('ACQ.INVALID_PARAMETER', '参数无效：time_expire');
    return this.book.open({
      id: input.out_trade_no,
      provider: 'alipay',
      amountMinor: fen(input.total_amount),
      currency: 'CNY',
      description: input.subject,
      reference: newTradeNo(),
      expiresAt: new Date(expiry).toISOString(),
      notifyUrl,
      returnUrl: null,
      // Not a qr.alipay.com address, so that a browser can open it.
      details: {
        code_url: `${this.sandboxUrl()}/orders/${input.out_trade_no}`,
        time_expire: input.time_expire ?? '',
      },
    });
  }

  private checkSame(order: Order, input: NewTrade): void {
    const same =
      order.provider === 'alipay' &&
      order.amountMinor === fen(input.total_amount) &&
      order.description === input.subject &&
      order.details.time_expire === (input.time_expire ?? '');
    if (!same) throw businessError('ACQ.CONTEXT_INCONSISTENT', '交易信息被篡改');
    if (order.status === 'paid') throw businessError('ACQ.TRADE_HAS_SUCCESS', '交易已被支付');
    if (order.status !== 'open') throw businessError('ACQ.TRADE_HAS_CLOSE', '交易已经关闭');
  }
}
