import { createSign, createVerify } from 'node:crypto';
import { type AlipayAccount } from '../credentials/provider-accounts';
import { type WireRequest } from '../protocol';
import { AlipayError, invalidArguments } from './biz-content';
import { readChinaTime } from './china-time';

const ALGORITHM = 'RSA-SHA256';

export const sign = (content: string, privateKey: string): string =>
  createSign(ALGORITHM).update(content, 'utf8').sign(privateKey, 'base64');

const isSigned = (content: string, signature: string, publicKey: string): boolean =>
  createVerify(ALGORITHM).update(content, 'utf8').verify(publicKey, signature, 'base64');

/** The text to sign: the parameters sorted by name, not escaped, except those in `without`. */
export const contentOf = (parameters: Record<string, string>, without: string[]): string =>
  Object.keys(parameters)
    .filter((name) => !without.includes(name))
    .sort()
    .map((name) => `${name}=${parameters[name]}`)
    .join('&');

const MAX_URL_CHARS = 256;

/** The parameters of the query and of the form in the body. */
export function parametersOf({ query, body }: WireRequest): Record<string, string> {
  return Object.fromEntries([...query, ...new URLSearchParams(body.toString('utf8'))]);
}

/** Validates the common parameters and the signature of the app. Throws an AlipayError. */
export function checkParameters(parameters: Record<string, string>, { appPublicKey }: AlipayAccount): void {
  const { sign, sign_type, charset, version, timestamp = '', notify_url } = parameters;
  if (sign === undefined)
    throw new AlipayError('40001', 'Missing Required Arguments', 'isv.missing-signature', '缺少签名参数');
  if (sign_type !== 'RSA2') throw invalidArguments('isv.invalid-signature-type', '无效签名类型');
  if (charset?.toLowerCase() !== 'utf-8') throw invalidArguments('isv.invalid-charset', '字符集错误');
  if (version !== '1.0') throw invalidArguments('isv.invalid-version', '无效的版本参数');
  if (Number.isNaN(readChinaTime(timestamp)))
    throw invalidArguments('isv.invalid-timestamp', '非法的时间戳参数');
  const content = contentOf(parameters, ['sign']);
  if (!isSigned(content, sign, appPublicKey))
    throw invalidArguments(
      'isv.invalid-signature',
      `验签出错，建议检查签名字符串或签名私钥与应用公钥是否匹配，网关生成的验签字符串为：${content}`,
    );
  if (notify_url !== undefined && !isNotifyUrl(notify_url))
    throw invalidArguments('isv.invalid-notify-url', '异步通知地址无效');
}

const isNotifyUrl = (text: string) =>
  URL.canParse(text) &&
  ['http:', 'https:'].includes(new URL(text).protocol) &&
  text.length <= MAX_URL_CHARS &&
  !text.includes('?');
