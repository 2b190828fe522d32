import { createHash } from 'node:crypto';
import { decimalToScaled } from '@inference/money';
import {
  InvalidNotificationError,
  type ProviderEvent,
  type ProviderEventKind,
  type ProviderNotification,
} from '../payment-provider';
import { type AlipayConfig } from '../payment-providers.config';
import { closedState, paidState, parseChinaTime } from './alipay-trade';

const SIGN_TYPE = 'RSA2';
const CHARSET = 'utf-8';
const PARAMETER = /^[A-Za-z0-9_]{1,64}$/;
/** The signed text is `a=1&b=2` without escaping, so a value that contains this could pose as another parameter. */
const HIDDEN_PARAMETER = /&[A-Za-z0-9_]+=/;
/** Several times what any notification has. Bounds the work that unsigned requests cause. */
const MAX_PARAMETERS = 200;
const MAX_AHEAD_MS = 5 * 60_000;
/**
 * Specified: Alipay repeats a notification for 24 hours and 22 minutes, possibly with the time of the first one. A replay
 * is harmless, since a payment is credited once.
 */
const MAX_AGE_MS = 25 * 3_600_000;
const TRADE_NOTIFICATION_TYPE = 'trade_status_sync';

type Fields = Record<string, string>;

/** Verifies and reads the fields of a form body. Throws an InvalidNotificationError. */
export function readSignedFields(body: Buffer, isSigned: (fields: Fields) => boolean): Fields {
  const text = decodeUtf8(body);
  if (text.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    throw new InvalidNotificationError('malformed', 'there are too many parameters');
  const parameters = new URLSearchParams(text);
  const signTypes = parameters.getAll('sign_type');
  // The SDK verifies with the algorithm that the message names, so SHA-1 must be refused first.
  if (signTypes.length !== 1 || signTypes[0] !== SIGN_TYPE)
    throw new InvalidNotificationError('signature', `sign_type must be ${SIGN_TYPE}`);
  const entries = [...parameters];
  const fields = Object.fromEntries(entries);
  if (Object.keys(fields).length !== entries.length)
    throw new InvalidNotificationError('malformed', 'a parameter occurs twice');
  if (!entries.every(([name]) => PARAMETER.test(name)))
    throw new InvalidNotificationError('malformed', 'Alipay has no such parameter');
  if ((fields.charset ?? CHARSET).toLowerCase() !== CHARSET)
    throw new InvalidNotificationError('malformed', `charset must be ${CHARSET}`);
  if (entries.some(([, value]) => HIDDEN_PARAMETER.test(value)) || !isSigned(fields))
    throw new InvalidNotificationError('signature', 'it is not signed by Alipay');
  return fields;
}

function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder(CHARSET, { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new InvalidNotificationError('malformed', `the body is not ${CHARSET}`);
  }
}

export function checkTime({ notify_time }: Fields): void {
  const sentAt = parseChinaTime(notify_time);
  if (!sentAt) throw new InvalidNotificationError('signature', 'notify_time is missing');
  const ageMs = Date.now() - sentAt.getTime();
  if (ageMs > MAX_AGE_MS) throw new InvalidNotificationError('signature', 'notify_time is too long ago');
  if (ageMs < -MAX_AHEAD_MS) throw new InvalidNotificationError('signature', 'notify_time is in the future');
}

export function checkMerchant({ app_id, seller_id }: Fields, { appId, sellerId }: AlipayConfig): void {
  if (app_id !== appId) throw new InvalidNotificationError('merchant', 'it is for another app');
  if (seller_id !== sellerId) throw new InvalidNotificationError('merchant', 'it is for another seller');
}

/** Maps verified fields. */
export function notificationOf(fields: Fields): ProviderNotification {
  const { notify_type, out_trade_no: paymentId, trade_status } = fields;
  if (notify_type !== TRADE_NOTIFICATION_TYPE)
    return { about: 'event', event: eventOf(fields, notify_type?.includes('dispute') ? 'dispute' : 'other') };
  if (!paymentId) throw new InvalidNotificationError('malformed', 'out_trade_no is missing');
  if (trade_status === 'TRADE_CLOSED') return closedTrade(paymentId, fields);
  if (trade_status !== 'TRADE_SUCCESS' && trade_status !== 'TRADE_FINISHED') return { about: 'nothing' };
  const { trade_no, total_amount = '', trans_currency, gmt_payment } = fields;
  const paid = { trade_no, total_amount, trans_currency, buyer_user_name: undefined };
  const state = paidState(paid, gmt_payment);
  if (!state) throw new InvalidNotificationError('malformed', 'the fields of the payment are missing');
  // A partial refund does not change that the trade was paid.
  return {
    about: 'payment',
    paymentId,
    state,
    ...(isRefunded(fields) && { event: eventOf(fields, 'refund') }),
  };
}

const NOTHING = /^0(\.0+)?$/;

const isRefunded = ({ gmt_refund, refund_fee }: Fields): boolean =>
  Boolean(gmt_refund) || Boolean(refund_fee && !NOTHING.test(refund_fee));

/** A trade that was refunded in full is closed too: by a refund of this site, or at Alipay. */
function closedTrade(paymentId: string, fields: Fields): ProviderNotification {
  const { buyer_id, buyer_open_id, buyer_logon_id } = fields;
  if (isRefunded(fields)) return { about: 'event', event: eventOf(fields, 'refund') };
  const wasBegun = Boolean(buyer_id || buyer_open_id || buyer_logon_id);
  return { about: 'payment', paymentId, state: closedState(wasBegun) };
}

const AMOUNT = /^\d{1,12}(\.\d{1,2})?$/;

/** `refund_fee` is all that was given back of a trade, in yuan. The signature has no part in what is stored. */
function eventOf({ sign: _sign, ...fields }: Fields, kind: ProviderEventKind): ProviderEvent {
  const { notify_id: id, notify_type: type, out_trade_no: paymentId, refund_fee: fee, trade_status } = fields;
  const content = JSON.stringify(fields);
  const refundedMinor = fee && AMOUNT.test(fee) ? decimalToScaled(fee, 2) : null;
  return {
    eventId: id || createHash('sha256').update(content).digest('hex'),
    type: type ?? '',
    kind,
    payment: paymentId ? { id: paymentId } : null,
    amountMinor: refundedMinor,
    refundedMinor,
    currency: 'CNY',
    status: trade_status ?? null,
    reason: null,
    content,
  };
}
