import { z } from 'zod';
import { type OrderBook, newReference } from '../orders/order-book';
import { type Order } from '../orders/order';
import { amount, businessError, fen, id, parsed, tradeNames, yuan } from './biz-content';
import { buyerOf, refundedFen, type Trades } from './trades';

const newRefund = z.object({
  ...tradeNames,
  refund_amount: amount,
  /** Without it Alipay uses the id of the trade and allows only a full refund. */
  out_request_no: id.optional(),
  refund_reason: z.string().max(256).optional(),
});
const namedRefund = z.object({ ...tradeNames, out_request_no: id });

/** alipay.trade.refund and alipay.trade.fastpay.refund.query. The results do not include code and msg. */
export class Refunds {
  constructor(
    private readonly book: OrderBook,
    private readonly trades: Trades,
  ) {}

  /** Idempotent by out_request_no. */
  refund(bizContent: string) {
    const input = parsed(newRefund, bizContent);
    const order = this.trades.find(input);
    const amountMinor = fen(input.refund_amount);
    const isNew = this.make(order, input.out_request_no ?? order.id, amountMinor);
    return {
      ...buyerOf(order, 'buyer_user_id'),
      fund_change: isNew ? 'Y' : 'N',
      out_trade_no: order.id,
      // The sum of all refunds of the trade.
      refund_fee: yuan(refundedFen(order)),
      send_back_fee: isNew ? yuan(amountMinor) : '0.00',
      trade_no: order.reference,
    };
  }

  /** Returns an empty object if the refund does not exist. */
  query(bizContent: string) {
    const input = parsed(namedRefund, bizContent);
    const order = this.trades.find(input);
    const refund = order.refunds.find((known) => known.id === input.out_request_no);
    if (!refund) return {};
    return {
      out_request_no: refund.id,
      out_trade_no: order.id,
      refund_amount: yuan(refund.amountMinor),
      refund_status: 'REFUND_SUCCESS',
      total_amount: yuan(order.amountMinor),
      trade_no: order.reference,
    };
  }

  /** Returns false if the refund already exists. */
  private make(order: Order, refundId: string, amountMinor: number): boolean {
    if (order.status !== 'paid') throw businessError('ACQ.TRADE_STATUS_ERROR', '交易状态不合法');
    const known = order.refunds.find((refund) => refund.id === refundId);
    if (known && known.amountMinor !== amountMinor)
      throw businessError('ACQ.DISCORDANT_REPEAT_REQUEST', '不一致的请求');
    if (!this.book.refund(order, refundId, newReference(''), amountMinor))
      throw businessError('ACQ.REASON_TRADE_REFUND_FEE_ERR', '退款金额无效');
    return !known;
  }
}
