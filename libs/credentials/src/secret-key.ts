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

/** A new secret key: what it begins with, 30 random base62 digits, 6 of their CRC32; and the part that may be shown later. */
export function createSecretKey(beginning: string): { key: string; prefix: string } {
  const random = randomBase62(RANDOM_DIGITS);
  const key = beginning + random + checksum(random);
  return { key, prefix: key.slice(0, beginning.length + VISIBLE_DIGITS) };
}

/** Whether a text has the form and the checksum of such a key, so that typing errors never reach the database. */
export function isSecretKey(beginning: string, text: string): boolean {
  const digits = text.slice(beginning.length);
  if (!text.startsWith(beginning) || !DIGITS.test(digits)) return false;
  return checksum(digits.slice(0, RANDOM_DIGITS)) === digits.slice(RANDOM_DIGITS);
}

/** What is stored of a key. */
export function hashSecretKey(key: string, hashSecret: string): Buffer {
  return createHmac('sha256', hashSecret).update(key).digest();
}
