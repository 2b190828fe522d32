import { type WechatConfig } from '../../config.payments';
import { type Order, type RefundOrder } from '../payment-provider';

const MAX_DESCRIPTION_CHARS = 127;
const MAX_REASON_BYTES = 80;
const CHINA_OFFSET_MS = 8 * 3_600_000;

/** RFC 3339 to the second in China's time, which is what WeChat Pay takes. */
const chinaTime = (time: Date): string =>
  `${new Date(time.getTime() + CHINA_OFFSET_MS).toISOString().slice(0, 19)}+08:00`;

/** As many whole characters as there is room for. */
function clipped(text: string, room: number, size: (character: string) => number): string {
  let kept = '';
  for (const character of text) {
    room -= size(character);
    if (room < 0) break;
    kept += character;
  }
  return kept;
}

export const nativeOrder = (order: Order, { appId, merchantId }: WechatConfig, notifyUrl: string) => ({
  appid: appId,
  mchid: merchantId,
  description: clipped(order.description, MAX_DESCRIPTION_CHARS, ({ length }) => length),
  out_trade_no: order.paymentId,
  time_expire: chinaTime(order.expiresAt),
  notify_url: notifyUrl,
  amount: { total: Number(order.amountMinor), currency: order.currency },
});

export const refundRequest = ({ refundId, order, ...refund }: RefundOrder, notifyUrl: string) => ({
  transaction_id: refund.paymentReference,
  out_refund_no: refundId,
  ...(refund.reason ? { reason: clipped(refund.reason, MAX_REASON_BYTES, Buffer.byteLength) } : {}),
  notify_url: notifyUrl,
  amount: {
    refund: Number(refund.amountMinor),
    total: Number(order.amountMinor),
    currency: order.currency,
  },
});
