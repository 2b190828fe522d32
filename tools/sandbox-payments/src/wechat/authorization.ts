import { createVerify } from 'node:crypto';
import { type WechatAccount } from '../credentials/provider-accounts';
import { type WireRequest } from '../protocol';
import { WechatError } from './wechat-error';

const SCHEME = 'WECHATPAY2-SHA256-RSA2048 ';
const FIELD = /^(mchid|nonce_str|signature|timestamp|serial_no)="([^"]+)"$/;
const MAX_AGE_SECONDS = 300;

const refuse = (message: string) => new WechatError(401, 'SIGN_ERROR', message);

/** Throws a WechatError unless the request has a valid signature of the merchant. */
export function checkAuthorization(request: WireRequest, account: WechatAccount): void {
  const header = request.headers.authorization ?? '';
  if (!header.startsWith(SCHEME))
    throw refuse('Http头Authorization值格式错误，请参考《微信支付商户REST API签名规则》');
  const fields = new Map(
    header
      .slice(SCHEME.length)
      .split(',')
      .map((part) => FIELD.exec(part.trim()))
      .map((match) => [match?.[1], match?.[2]]),
  );
  const timestamp = fields.get('timestamp') ?? '';
  if (fields.get('mchid') !== account.merchantId) throw refuse('商户号与签名不匹配');
  if (fields.get('serial_no')?.toUpperCase() !== account.merchantSerial.toUpperCase())
    throw refuse('商户证书序列号有误');
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > MAX_AGE_SECONDS)
    throw refuse('Http头Authorization中的timestamp与发起请求的时间不得超过5分钟');
  const genuine = createVerify('RSA-SHA256')
    .update(`${request.method}\n${request.target}\n${timestamp}\n${fields.get('nonce_str')}\n`)
    .update(request.body)
    .update('\n')
    .verify(account.merchantPublicKey, fields.get('signature') ?? '', 'base64');
  if (!genuine) throw refuse('签名错误，请检查后再试');
}
