import { createVerify, type KeyObject } from 'node:crypto';

/** Specified: WeChat Pay tells merchants to refuse timestamps more than five minutes away, in the past or future. */
const MAX_CLOCK_OFFSET_SECONDS = 300;
const UNIX_SECONDS = /^\d{1,12}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

export interface WechatSignature {
  /** The key that made it: the id of a public key, or a certificate's serial number. */
  serial: string;
  /** Unix time in seconds. */
  timestamp: string;
  nonce: string;
  /** Base64. */
  signature: string;
}

/** The signature in the headers of a message; null if a part is missing, empty or malformed. */
export function signatureOf(headers: Record<string, unknown>): WechatSignature | null {
  const [serial, timestamp, nonce, signature] = ['serial', 'timestamp', 'nonce', 'signature'].map(
    (part) => headers[`wechatpay-${part}`],
  );
  if (typeof serial !== 'string' || serial === '' || typeof nonce !== 'string' || nonce === '') return null;
  if (typeof timestamp !== 'string' || !UNIX_SECONDS.test(timestamp)) return null;
  if (typeof signature !== 'string' || !BASE64.test(signature)) return null;
  return { serial, timestamp, nonce, signature };
}

export const hasRecentTimestamp = ({ timestamp }: WechatSignature): boolean =>
  Math.abs(Date.now() / 1000 - Number(timestamp)) <= MAX_CLOCK_OFFSET_SECONDS;

/** Whether the signature over the body was made with the key's private half. */
export const isSignedBy = (
  key: KeyObject,
  { timestamp, nonce, signature }: WechatSignature,
  body: Buffer,
): boolean =>
  createVerify('RSA-SHA256')
    .update(`${timestamp}\n${nonce}\n`)
    .update(body)
    .update('\n')
    .verify(key, signature, 'base64');
