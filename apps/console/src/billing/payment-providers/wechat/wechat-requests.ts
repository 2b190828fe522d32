import { type WechatConfig } from './wechat.config';
import { type ProviderOrder, type RefundRequest } from '../payment-provider';

/** Specified: WeChat Pay API v3, Native payment (`description`) and refund (`reason`). */
const MAX_DESCRIPTION_CHARS = 127;
const MAX_REASON_BYTES = 80;
const CHINA_OFFSET_MS = 8 * 3_600_000;

/** RFC 3339 in China's time without fractions of a second, as WeChat Pay requires. */
const chinaTime = (time: Date): string =>
  `${new Date(time.getTime() + CHINA_OFFSET_MS).toISOString().slice(0, 19)}+08:00`;

/** The longest prefix of whole characters whose sizes sum up to at most `room`. */
function truncate(text: string, room: number, size: (character: string) => number): string {
  let prefix = '';
  for (const character of text) {
    room -= size(character);
    if (room < 0) break;
    prefix += character;
  }
  return prefix;
}

export const nativeOrderRequest = (
  order: ProviderOrder,
  { appId, merchantId }: WechatConfig,
  notifyUrl: string,
) => ({
  appid: appId,
  mchid: merchantId,
  description: truncate(order.description, MAX_DESCRIPTION_CHARS, ({ length }) => length),
  out_trade_no: order.paymentId,
  time_expire: chinaTime(order.expiresAt),
  notify_url: notifyUrl,
  amount: { total: Number(order.amountMinor), currency: order.currency },
});

export const refundRequest = ({ refundId, order, ...refund }: RefundRequest, notifyUrl: string) => ({
  transaction_id: refund.paymentReference,
  out_refund_no: refundId,
  ...(refund.reason ? { reason: truncate(refund.reason, MAX_REASON_BYTES, Buffer.byteLength) } : {}),
  notify_url: notifyUrl,
  amount: {
    refund: Number(refund.amountMinor),
    total: Number(order.amountMinor),
    currency: order.currency,
  },
});
