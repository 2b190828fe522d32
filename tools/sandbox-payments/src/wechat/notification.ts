import { createHash } from 'node:crypto';
import { type NotificationFaults } from '../injected-faults';
import { type Order, type Refund } from '../orders/order';
import { type WechatAccount } from '../credentials/provider-accounts';
import { type WireNotification } from '../protocol';
import { chinaTime } from './china-time';
import { type WechatPlatform } from './platform';
import { refundNews, refundNotifyUrl } from './refunds';
import { transactionOf } from './transactions';

const TEN_MINUTES = 600;
const OTHER_MERCHANT = '1900000001';
const ID_DIGITS = 30;

interface News {
  url: string;
  event: string;
  summary: string;
  about: 'transaction' | 'refund';
  content: { mchid: string };
  at: string;
}

/** WeChat Pay sends notifications only for payments and refunds. */
export function notificationOf(
  order: Order,
  faults: NotificationFaults,
  account: WechatAccount,
  platform: WechatPlatform,
): WireNotification | null {
  const refund = order.refunds.at(-1);
  const news = refund ? newsOfRefund(order, refund, account) : newsOfPayment(order, faults, account);
  if (!news) return null;
  if (faults.wrongMerchant) news.content.mchid = OTHER_MERCHANT;
  const body = JSON.stringify({
    // Derived from the event, so that a retry has the same id.
    id: `EV-${createHash('sha256').update(`${news.event} ${order.id} ${refund?.id}`).digest('hex').slice(0, ID_DIGITS)}`,
    create_time: chinaTime(news.at),
    resource_type: 'encrypt-resource',
    event_type: news.event,
    summary: news.summary,
    resource: {
      original_type: news.about,
      ...platform.encrypt(JSON.stringify(news.content), news.about),
    },
  });
  const signature = platform.sign(body, undefined, {
    wrongSignature: faults.wrongSignature,
    clockOffset: faults.oldTimestamp ? -TEN_MINUTES : faults.futureTimestamp ? TEN_MINUTES : 0,
  });
  return { url: news.url, headers: { 'Content-Type': 'application/json', ...signature }, body };
}

function newsOfPayment(order: Order, faults: NotificationFaults, account: WechatAccount): News | null {
  if (order.notifyUrl === null || order.paidAt === null) return null;
  const content = transactionOf(order, account);
  if (faults.wrongAmount) content.amount.total += 1;
  if (faults.wrongCurrency) content.amount.currency = 'USD';
  const { notifyUrl: url, paidAt: at } = order;
  return { url, event: 'TRANSACTION.SUCCESS', summary: '支付成功', about: 'transaction', content, at };
}

function newsOfRefund(order: Order, refund: Refund, account: WechatAccount): News | null {
  const url = refundNotifyUrl(order, refund);
  if (url === undefined) return null;
  const content = refundNews(order, refund, account.merchantId);
  return {
    url,
    event: 'REFUND.SUCCESS',
    summary: '退款成功',
    about: 'refund',
    content,
    at: refund.createdAt,
  };
}
