import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62 } from '@inference/database';

const RANDOM_DIGITS = 30;
const CHECKSUM_DIGITS = 6;
const VISIBLE_DIGITS = 7;
const DIGITS = /^[0-9A-Za-z]{36}$/;
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_DIGITS; i++) {
    digits = BASE62[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** Creates a secret key: the prefix, 30 random base62 digits and 6 digits of their CRC32. `prefix` of the result may be shown later. */
export function createSecretKey(start: string): { key: string; prefix: string } {
  const random = randomBase62(RANDOM_DIGITS);
  const key = start + random + checksum(random);
  return { key, prefix: key.slice(0, start.length + VISIBLE_DIGITS) };
}

/** Whether a text has the form and the checksum of such a key. Malformed keys are refused without a query. */
export function isSecretKey(start: string, text: string): boolean {
  const digits = text.slice(start.length);
  if (!text.startsWith(start) || !DIGITS.test(digits)) return false;
  return checksum(digits.slice(0, RANDOM_DIGITS)) === digits.slice(RANDOM_DIGITS);
}

/** Secrets of the keyed hash. While one replaces the other, keys may be stored under either. */
export interface KeyHashSecrets {
  /** New keys are stored under this one. */
  API_KEY_HASH_SECRET: string;
  API_KEY_HASH_OTHER_SECRET?: string | undefined;
}

/** Returns every hash under which a key may be stored, first the one under which it is to be stored. */
export function possibleHashes(key: string, secrets: KeyHashSecrets): [Buffer, ...Buffer[]] {
  const { API_KEY_HASH_SECRET: secret, API_KEY_HASH_OTHER_SECRET: other } = secrets;
  return [hashSecretKey(key, secret), ...(other === undefined ? [] : [hashSecretKey(key, other)])];
}

/** Returns the keyed hash (HMAC-SHA-256) under which a key is stored. */
export function hashSecretKey(key: string, hashSecret: string): Buffer {
  return createHmac('sha256', hashSecret).update(key).digest();
}
