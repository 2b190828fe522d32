import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { type OrderBook } from '../orders/order-book';
import { type Order } from '../orders/order';
import { type WechatAccount } from '../credentials/provider-accounts';
import { chinaTime } from './china-time';
import { parsed, WechatError } from './wechat-error';

const DEFAULT_LIFE_MS = 7 * 86_400_000;
const RANDOM_DIGITS = 24;

const nativeOrder = z.object({
  appid: z.string().min(1).max(32),
  mchid: z.string().min(1).max(32),
  description: z.string().min(1).max(127),
  out_trade_no: z.string().regex(/^[0-9A-Za-z_|*-]{6,32}$/),
  time_expire: z.iso.datetime({ offset: true }).optional(),
  notify_url: z
    .url({ protocol: /^https?$/ })
    .max(255)
    .refine((url) => !url.includes('?')),
  amount: z.object({ total: z.int().min(1), currency: z.literal('CNY').default('CNY') }),
});
const merchant = z.object({ mchid: z.string().min(1).max(32) });

/** An id in the format of WeChat Pay: 28 digits. */
export const newWechatId = (prefix: string): string =>
  prefix + Array.from({ length: RANDOM_DIGITS }, () => randomInt(10)).join('');

const STATES: Record<Order['status'], [state: string, description: string]> = {
  open: ['NOTPAY', '订单未支付'],
  paid: ['SUCCESS', '支付成功'],
  failed: ['PAYERROR', '支付失败'],
  expired: ['CLOSED', '订单已关闭'],
  closed: ['CLOSED', '订单已关闭'],
};
const REFUNDED: [string, string] = ['REFUND', '订单发生过退款，退款详情请查询退款单'];

/** An order in the format of the query API. */
export function transactionOf(order: Order, account: WechatAccount) {
  const [state, description] = order.refunds.length > 0 ? REFUNDED : STATES[order.status];
  const known = { appid: account.appId, mchid: account.merchantId, out_trade_no: order.id, attach: '' };
  const outcome = { trade_state: state, trade_state_desc: description };
  const { amountMinor: total, currency } = order;
  if (order.paidAt === null) return { ...known, ...outcome, amount: { total, currency }, payer: {} };
  return {
    ...known,
    ...outcome,
    transaction_id: order.reference,
    trade_type: 'NATIVE',
    bank_type: 'OTHERS',
    success_time: chinaTime(order.paidAt),
    payer: { openid: 'oUpF8uMuAJO_M2pxb1Q9zNjWeS6o' },
    amount: { total, payer_total: total, currency, payer_currency: currency },
  };
}

/** The API below /v3/pay/transactions, for Native orders. */
export class Transactions {
  constructor(
    private readonly book: OrderBook,
    private readonly account: WechatAccount,
    private readonly sandboxUrl: () => string,
  ) {}

  /** Idempotent: the same parameters get the same code. */
  open(body: Buffer): { code_url: string } {
    const input = parsed(nativeOrder, body);
    if (input.mchid !== this.account.merchantId || input.appid !== this.account.appId)
      throw new WechatError(400, 'APPID_MCHID_NOT_MATCH', 'appid和mch_id不匹配，请检查后再试');
    const known = this.book.find(input.out_trade_no);
    if (known) return { code_url: this.again(known, input) };
    const expiry =
      input.time_expire === undefined ? Date.now() + DEFAULT_LIFE_MS : Date.parse(input.time_expire);
    if (expiry <= Date.now())
      throw new WechatError(400, 'PARAM_ERROR', 'time_expire时间过短，刷卡至少1分钟，其他5分钟');
    // Not a weixin:// address, so that a browser can open it.
    const codeUrl = `${this.sandboxUrl()}/orders/${input.out_trade_no}`;
    this.book.open({
      id: input.out_trade_no,
      provider: 'wechat',
      amountMinor: input.amount.total,
      currency: input.amount.currency,
      description: input.description,
      reference: newWechatId('4200'),
      expiresAt: new Date(expiry).toISOString(),
      notifyUrl: input.notify_url,
      returnUrl: null,
      details: { code_url: codeUrl, time_expire: input.time_expire ?? '' },
    });
    return { code_url: codeUrl };
  }

  byMerchantId(id: string, mchid: string | null) {
    this.checkMerchant(mchid);
    return transactionOf(
      this.find(({ id: known }) => known === id),
      this.account,
    );
  }

  byTransactionId(reference: string, mchid: string | null) {
    this.checkMerchant(mchid);
    const order = this.find((known) => known.reference === reference && known.paidAt !== null);
    return transactionOf(order, this.account);
  }

  close(id: string, body: Buffer): void {
    this.checkMerchant(parsed(merchant, body).mchid);
    const order = this.find(({ id: known }) => known === id);
    if (order.status === 'paid') throw new WechatError(400, 'ORDERPAID', '该订单已支付');
    if (order.status !== 'open') throw new WechatError(400, 'ORDER_CLOSED', '订单已关闭');
    this.book.close(order);
  }

  private again(order: Order, input: z.output<typeof nativeOrder>): string {
    const same =
      order.provider === 'wechat' &&
      order.amountMinor === input.amount.total &&
      order.description === input.description &&
      order.notifyUrl === input.notify_url &&
      order.details.time_expire === (input.time_expire ?? '');
    if (!same) throw new WechatError(403, 'OUT_TRADE_NO_USED', '商户订单号重复');
    if (order.status === 'paid') throw new WechatError(400, 'ORDERPAID', '该订单已支付');
    if (order.status !== 'open') throw new WechatError(400, 'ORDER_CLOSED', '该订单已关闭');
    return order.details.code_url!;
  }

  private find(matches: (order: Order) => boolean): Order {
    const order = this.book.findWhere((known) => known.provider === 'wechat' && matches(known));
    if (!order) throw new WechatError(404, 'ORDER_NOT_EXIST', '订单不存在');
    return order;
  }

  private checkMerchant(mchid: string | null): void {
    if (mchid !== this.account.merchantId)
      throw new WechatError(400, 'PARAM_ERROR', '输入源“/query/mchid”映射到字段“商户号”字符串规则校验失败');
  }
}
