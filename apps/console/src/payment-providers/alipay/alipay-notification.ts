import { type AlipayConfig } from '../../config.payments';
import { type Notification, NotificationRefusal } from '../payment-provider';
import { closedState, paidState } from './alipay-trade';
import { dateOf } from './alipay-values';

const SIGN_TYPE = 'RSA2';
const CHARSET = 'utf-8';
const PARAMETER = /^[A-Za-z0-9_]{1,64}$/;
/** What is signed is `a=1&b=2`, nothing in it escaped: this in a value would stand for a parameter of its own. */
const HIDDEN_PARAMETER = /&[A-Za-z0-9_]+=/;
/** More than any notification has: whoever sends them must not cause work. */
const MAX_PARAMETERS = 200;
const MAX_AHEAD_MS = 5 * 60_000;
/**
 * A notification is sent again over 24 hours and 22 minutes, and the time in it may be that of the first. What it
 * says of a payment stays true: money is credited once, however late it is heard of.
 */
const MAX_AGE_MS = 25 * 3_600_000;
const ABOUT_TRADES = 'trade_status_sync';

type Fields = Record<string, string>;

/** The fields of a body that is as Alipay writes and signs them. Throws a NotificationRefusal. */
export function signedFields(body: Buffer, isSigned: (fields: Fields) => boolean): Fields {
  const text = utf8Of(body);
  if (text.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    throw new NotificationRefusal('malformed', 'there are too many parameters');
  const parameters = new URLSearchParams(text);
  const signTypes = parameters.getAll('sign_type');
  // First of all: the SDK checks by the algorithm that the message names, be it SHA-1.
  if (signTypes.length !== 1 || signTypes[0] !== SIGN_TYPE)
    throw new NotificationRefusal('signature', `sign_type must be ${SIGN_TYPE}`);
  const entries = [...parameters];
  const fields = Object.fromEntries(entries);
  if (Object.keys(fields).length !== entries.length)
    throw new NotificationRefusal('malformed', 'a parameter is there twice');
  if (!entries.every(([name]) => PARAMETER.test(name)))
    throw new NotificationRefusal('malformed', 'there is a parameter that is none of Alipay');
  if ((fields.charset ?? CHARSET).toLowerCase() !== CHARSET)
    throw new NotificationRefusal('malformed', `charset must be ${CHARSET}`);
  if (entries.some(([, value]) => HIDDEN_PARAMETER.test(value)) || !isSigned(fields))
    throw new NotificationRefusal('signature', 'it is not signed by Alipay');
  return fields;
}

function utf8Of(body: Buffer): string {
  try {
    return new TextDecoder(CHARSET, { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new NotificationRefusal('malformed', `the body is not ${CHARSET}`);
  }
}

export function checkTime({ notify_time }: Fields): void {
  const sentAt = dateOf(notify_time);
  if (!sentAt) throw new NotificationRefusal('signature', 'notify_time is missing');
  const ageMs = Date.now() - sentAt.getTime();
  if (ageMs > MAX_AGE_MS) throw new NotificationRefusal('signature', 'notify_time is too long ago');
  if (ageMs < -MAX_AHEAD_MS) throw new NotificationRefusal('signature', 'notify_time is in the future');
}

export function checkMerchant({ app_id, seller_id }: Fields, { appId, sellerId }: AlipayConfig): void {
  if (app_id !== appId) throw new NotificationRefusal('merchant', 'it is for another app');
  if (seller_id !== sellerId) throw new NotificationRefusal('merchant', 'it is for another seller');
}

/** What genuine fields say. */
export function notificationOf(fields: Fields): Notification {
  const { notify_type, out_trade_no: paymentId, trade_status } = fields;
  if (notify_type !== ABOUT_TRADES) return { about: 'nothing' };
  if (!paymentId) throw new NotificationRefusal('malformed', 'out_trade_no is missing');
  if (trade_status === 'TRADE_CLOSED') return closedTrade(paymentId, fields);
  if (trade_status !== 'TRADE_SUCCESS' && trade_status !== 'TRADE_FINISHED') return { about: 'nothing' };
  // Also when some of it was paid back since: that it was paid stays true.
  const { trade_no, total_amount = '', trans_currency, gmt_payment } = fields;
  const told = { trade_no, total_amount, trans_currency, buyer_user_name: undefined };
  const state = paidState(told, gmt_payment);
  if (!state) throw new NotificationRefusal('malformed', 'it says nothing of what was paid');
  return { about: 'payment', paymentId, state };
}

/** Closed is also what a trade is that was paid and paid back in full; that changes nothing here. */
function closedTrade(paymentId: string, fields: Fields): Notification {
  const { gmt_refund, refund_fee, buyer_id, buyer_open_id, buyer_logon_id } = fields;
  if (gmt_refund || refund_fee) return { about: 'nothing' };
  const wasBegun = Boolean(buyer_id || buyer_open_id || buyer_logon_id);
  return { about: 'payment', paymentId, state: closedState(wasBegun) };
}
