import { createHash } from 'node:crypto';
import { type NotificationFaults } from '../injected-faults';
import { type Order, type Refund } from '../orders/order';
import { type AlipayAccount } from '../credentials/provider-accounts';
import { type WireNotification } from '../protocol';
import { buyerOf, refundedFen, tradeStatus } from './trades';
import { chinaTime } from './china-time';
import { contentOf, sign } from './signing';
import { yuan } from './biz-content';

const TWO_DAYS_MS = 2 * 86_400_000;
const TEN_MINUTES_MS = 600_000;
const OTHER_SELLER = '2088000000000001';
const ID_DIGITS = 34;

/** Alipay sends notifications for paid, closed and refunded trades, but not for unpaid ones. */
export function notificationOf(
  order: Order,
  faults: NotificationFaults,
  account: AlipayAccount,
): WireNotification | null {
  if (order.notifyUrl === null || order.status === 'open') return null;
  const fields = fieldsOf(order, account);
  fields.notify_time = chinaTime(Date.now() + clockOffset(faults));
  if (faults.wrongAmount) fields.total_amount = yuan(order.amountMinor + 1);
  // Alipay omits the currency if it is CNY, as for all orders here.
  if (faults.wrongCurrency) fields.trans_currency = 'USD';
  if (faults.wrongMerchant) fields.seller_id = OTHER_SELLER;
  const content = contentOf(fields, ['sign_type']);
  fields.sign = sign(faults.wrongSignature ? `${content} ` : content, account.alipayPrivateKey);
  return {
    url: order.notifyUrl,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' },
    body: new URLSearchParams(fields).toString(),
  };
}

function fieldsOf(order: Order, { appId, sellerId }: AlipayAccount): Record<string, string> {
  const refund = order.refunds.at(-1);
  return {
    app_id: appId,
    auth_app_id: appId,
    charset: 'utf-8',
    gmt_create: chinaTime(Date.parse(order.createdAt)),
    notify_id: notifyId(order, refund),
    notify_type: 'trade_status_sync',
    out_trade_no: order.id,
    seller_id: sellerId,
    sign_type: 'RSA2',
    subject: order.description,
    total_amount: yuan(order.amountMinor),
    trade_no: order.reference,
    trade_status: tradeStatus(order),
    version: '1.0',
    ...buyerOf(order, 'buyer_id'),
    ...(order.status === 'paid' ? paymentOf(order) : { gmt_close: chinaTime(Date.now()) }),
    ...(refund && refundOf(order, refund)),
  };
}

function paymentOf(order: Order): Record<string, string> {
  const total = yuan(order.amountMinor);
  return {
    buyer_pay_amount: total,
    fund_bill_list: JSON.stringify([{ amount: total, fundChannel: 'ALIPAYACCOUNT' }]),
    gmt_payment: chinaTime(Date.parse(order.paidAt ?? order.createdAt)),
    invoice_amount: total,
    point_amount: '0.00',
    receipt_amount: total,
  };
}

const refundOf = (order: Order, refund: Refund): Record<string, string> => ({
  gmt_refund: `${chinaTime(Date.parse(refund.createdAt))}.000`,
  out_biz_no: refund.id,
  refund_fee: yuan(refundedFen(order)),
});

const clockOffset = ({ oldTimestamp, futureTimestamp }: NotificationFaults): number =>
  oldTimestamp ? -TWO_DAYS_MS : futureTimestamp ? TEN_MINUTES_MS : 0;

/** Derived from the event, so that a retry has the same id. */
const notifyId = ({ id, status }: Order, refund: Refund | undefined): string =>
  createHash('sha256').update(`${id} ${status} ${refund?.id}`).digest('hex').slice(0, ID_DIGITS);
