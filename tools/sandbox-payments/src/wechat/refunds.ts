import { z } from 'zod';
import { type OrderBook } from '../orders/order-book';
import { type Order, type Refund } from '../orders/order';
import { chinaTime } from './china-time';
import { parsed, WechatError } from './wechat-error';
import { newWechatId } from './transactions';

const MAX_REASON_BYTES = 80;

const refundOrder = z
  .object({
    transaction_id: z.string().min(1).max(32).optional(),
    out_trade_no: z.string().min(6).max(32).optional(),
    out_refund_no: z.string().regex(/^[0-9A-Za-z_|*@-]{1,64}$/),
    reason: z
      .string()
      .min(1)
      .refine((text) => Buffer.byteLength(text) <= MAX_REASON_BYTES)
      .optional(),
    notify_url: z
      .url({ protocol: /^https?$/ })
      .max(256)
      .optional(),
    amount: z.object({
      refund: z.int().min(1),
      total: z.int().min(1),
      currency: z.literal('CNY'),
    }),
  })
  .refine(({ transaction_id, out_trade_no }) => transaction_id !== undefined || out_trade_no !== undefined);

const DESTINATION = '支付用户零钱';
const invalid = (message: string) => new WechatError(400, 'INVALID_REQUEST', message);

/** The address for the notification of the refund. */
export const refundNotifyUrl = (order: Order, { id }: Refund): string | undefined =>
  order.details[`refund_notify_url:${id}`];

/** A refund in the format of the API. */
function refundOf(order: Order, refund: Refund, status: 'PROCESSING' | 'SUCCESS') {
  const { amountMinor: total, currency } = order;
  return {
    refund_id: refund.reference,
    out_refund_no: refund.id,
    transaction_id: order.reference,
    out_trade_no: order.id,
    channel: 'ORIGINAL',
    user_received_account: DESTINATION,
    ...(status === 'SUCCESS' ? { success_time: chinaTime(refund.createdAt) } : {}),
    create_time: chinaTime(refund.createdAt),
    status,
    funds_account: 'AVAILABLE',
    amount: {
      total,
      refund: refund.amountMinor,
      from: [],
      payer_total: total,
      payer_refund: refund.amountMinor,
      settlement_refund: refund.amountMinor,
      settlement_total: total,
      discount_refund: 0,
      currency,
    },
    promotion_detail: [],
  };
}

/** The content of a refund notification. */
export const refundNews = (order: Order, refund: Refund, mchid: string) => ({
  mchid,
  transaction_id: order.reference,
  out_trade_no: order.id,
  refund_id: refund.reference,
  out_refund_no: refund.id,
  refund_status: 'SUCCESS',
  success_time: chinaTime(refund.createdAt),
  user_received_account: DESTINATION,
  amount: {
    total: order.amountMinor,
    refund: refund.amountMinor,
    payer_total: order.amountMinor,
    payer_refund: refund.amountMinor,
  },
});

/** The API below /v3/refund/domestic/refunds. */
export class Refunds {
  constructor(private readonly book: OrderBook) {}

  /** The first answer has the status PROCESSING. All later queries have SUCCESS. */
  ask(body: Buffer) {
    const input = parsed(refundOrder, body);
    const order = this.book.findWhere(
      (known) =>
        known.provider === 'wechat' &&
        (input.transaction_id === undefined
          ? known.id === input.out_trade_no
          : known.reference === input.transaction_id && known.paidAt !== null),
    );
    if (!order) throw new WechatError(404, 'RESOURCE_NOT_EXISTS', '订单不存在');
    if (order.status !== 'paid') throw invalid('订单未支付');
    if (order.amountMinor !== input.amount.total)
      throw invalid('订单金额或退款金额与之前请求不一致，请核实后再试');
    const earlier = this.search(input.out_refund_no);
    if (earlier) {
      if (earlier.order !== order || earlier.refund.amountMinor !== input.amount.refund)
        throw invalid('订单金额或退款金额与之前请求不一致，请核实后再试');
      return refundOf(order, earlier.refund, 'SUCCESS');
    }
    const refunded = order.refunds.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
    if (refunded + input.amount.refund > order.amountMinor) throw invalid('申请退款金额超过订单可退金额');
    // The order book sends the notification at once, so its address must be set before.
    if (input.notify_url !== undefined)
      order.details[`refund_notify_url:${input.out_refund_no}`] = input.notify_url;
    const created = this.book.refund(order, input.out_refund_no, newWechatId('5030'), input.amount.refund)!;
    return refundOf(order, created, 'PROCESSING');
  }

  find(id: string) {
    const found = this.search(id);
    if (!found) throw new WechatError(404, 'RESOURCE_NOT_EXISTS', '退款单不存在');
    return refundOf(found.order, found.refund, 'SUCCESS');
  }

  private search(id: string): { order: Order; refund: Refund } | null {
    const matches = (refund: Refund) => refund.id === id;
    const order = this.book.findWhere(
      ({ provider, refunds }) => provider === 'wechat' && refunds.some(matches),
    );
    return order ? { order, refund: order.refunds.find(matches)! } : null;
  }
}
