import { type z } from 'zod';
import { type WechatConfig } from '../../config.payments';
import { type Notification, NotificationRefusal, type RawNotification } from '../payment-provider';
import { type WechatClient } from './wechat-client';
import { encrypted, notification, orderStateOf, refundNews, transaction } from './wechat-messages';
import { isSignedBy, isTimely, signatureOf } from './wechat-signature';

const PAID = 'TRANSACTION.SUCCESS';
const OF_REFUNDS = 'REFUND.';

/** Throws a NotificationRefusal unless it is WeChat Pay's and for this merchant. */
export async function readNotification(
  { headers, body }: RawNotification,
  { appId, merchantId }: WechatConfig,
  client: WechatClient,
): Promise<Notification> {
  const signature = signatureOf(headers);
  if (!signature) throw new NotificationRefusal('signature', 'it is not signed');
  if (!isTimely(signature)) throw new NotificationRefusal('signature', 'its time is out of bounds');
  const key = await client.keys.find(signature.serial);
  if (!key) throw new NotificationRefusal('signature', 'the key that it names is not known');
  if (!isSignedBy(key, signature, body)) throw new NotificationRefusal('signature', 'the signature is wrong');

  const { event_type: event, resource } = read(notification, jsonOf(body.toString('utf8')));
  if (event === PAID) {
    const told = read(transaction, opened(resource, client));
    if (told.mchid !== merchantId || told.appid !== appId)
      throw new NotificationRefusal('merchant', "it is about another merchant's order");
    return { about: 'payment', paymentId: told.out_trade_no, state: orderStateOf(told) };
  }
  if (!event.startsWith(OF_REFUNDS)) return { about: 'nothing' };
  const told = read(refundNews, opened(resource, client));
  if (told.mchid !== merchantId)
    throw new NotificationRefusal('merchant', "it is about another merchant's refund");
  return { about: 'refund', refundId: told.out_refund_no };
}

function opened(resource: unknown, client: WechatClient): unknown {
  const secret = read(encrypted, resource);
  let text: string;
  try {
    text = client.decrypt(secret);
  } catch {
    throw new NotificationRefusal('signature', 'it is not encrypted with the APIv3 key');
  }
  return jsonOf(text);
}

function read<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const { success, data, error } = shape.safeParse(value);
  if (success) return data;
  const [issue] = error.issues;
  throw new NotificationRefusal('malformed', `${issue!.path.map(String).join('.')}: ${issue!.message}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NotificationRefusal('malformed', 'it is not JSON');
  }
}
