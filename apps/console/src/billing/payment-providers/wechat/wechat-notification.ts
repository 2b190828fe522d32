import { createHash } from 'node:crypto';
import { type z } from 'zod';
import {
  InvalidNotificationError,
  type ProviderNotification,
  type RawNotification,
} from '../payment-provider';
import { type WechatConfig } from '../payment-providers.config';
import { type WechatClient } from './wechat-client';
import {
  encryptedResource,
  notification,
  orderStateOf,
  otherResource,
  refundResource,
  transaction,
} from './wechat-messages';
import { hasRecentTimestamp, isSignedBy, signatureOf } from './wechat-signature';

const PAYMENT_EVENT = 'TRANSACTION.SUCCESS';
const REFUND_EVENT_PREFIX = 'REFUND.';

/** Verifies and reads a notification. Throws an InvalidNotificationError. */
export async function readNotification(
  { headers, body }: RawNotification,
  { appId, merchantId }: WechatConfig,
  client: WechatClient,
): Promise<ProviderNotification> {
  const signature = signatureOf(headers);
  if (!signature) throw new InvalidNotificationError('signature', 'it is not signed');
  if (!hasRecentTimestamp(signature))
    throw new InvalidNotificationError('signature', 'its time is out of bounds');
  const key = await client.keys.find(signature.serial);
  if (!key) throw new InvalidNotificationError('signature', 'the key that it names is not known');
  if (!isSignedBy(key, signature, body))
    throw new InvalidNotificationError('signature', 'the signature is wrong');

  const { id, event_type: event, resource } = read(notification, parseJson(body.toString('utf8')));
  const eventId = id ?? createHash('sha256').update(body).digest('hex');
  if (event === PAYMENT_EVENT) {
    const order = read(transaction, decryptResource(resource, client));
    if (order.mchid !== merchantId || order.appid !== appId)
      throw new InvalidNotificationError('merchant', "it is about another merchant's order");
    return { about: 'payment', paymentId: order.out_trade_no, state: orderStateOf(order) };
  }
  const content = decryptResource(resource, client);
  const unhandled = {
    eventId,
    type: event,
    currency: null,
    reason: null,
    refundedMinor: null,
    content: JSON.stringify(content),
  };
  if (!event.startsWith(REFUND_EVENT_PREFIX)) {
    const { mchid, out_trade_no: paymentId } = read(otherResource, content);
    if (mchid !== undefined && mchid !== merchantId)
      throw new InvalidNotificationError('merchant', 'it is for another merchant');
    const payment = paymentId === undefined ? null : { id: paymentId };
    return {
      about: 'event',
      event: { ...unhandled, kind: kindOf(event), payment, amountMinor: null, status: null },
    };
  }
  const refund = read(refundResource, content);
  if (refund.mchid !== merchantId)
    throw new InvalidNotificationError('merchant', "it is about another merchant's refund");
  const { out_trade_no: paymentId, amount, refund_status: status } = refund;
  return {
    about: 'refund',
    refundId: refund.out_refund_no,
    event: {
      ...unhandled,
      kind: 'refund',
      payment: paymentId === undefined ? null : { id: paymentId },
      amountMinor: amount === undefined ? null : BigInt(amount.refund),
      currency: 'CNY',
      status: status ?? null,
    },
  };
}

/** Complaints of payers are what WeChat Pay has for disputes. */
const kindOf = (event: string) => (event.startsWith('COMPLAINT.') ? 'dispute' : 'other');

function decryptResource(resource: unknown, client: WechatClient): unknown {
  const encrypted = read(encryptedResource, resource);
  let text: string;
  try {
    text = client.decrypt(encrypted);
  } catch {
    throw new InvalidNotificationError('signature', 'it is not encrypted with the APIv3 key');
  }
  return parseJson(text);
}

function read<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const { success, data, error } = shape.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw new InvalidNotificationError('malformed', `${issue!.path.map(String).join('.')}: ${issue!.message}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidNotificationError('malformed', 'it is not JSON');
  }
}
