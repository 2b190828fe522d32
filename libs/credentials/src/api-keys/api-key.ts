import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62 } from '@inference/database';

const PREFIX = 'bfvk-';
const RANDOM_DIGITS = 30;
const CHECKSUM_DIGITS = 6;
const VISIBLE_DIGITS = 7;
const FORM = /^bfvk-([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;
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

/** A new secret key: `bfvk-`, 30 random base62 digits, 6 of their CRC32; and the part that may be shown later. */
export function createApiKey(): { key: string; prefix: string } {
  const random = randomBase62(RANDOM_DIGITS);
  const key = PREFIX + random + checksum(random);
  return { key, prefix: key.slice(0, PREFIX.length + VISIBLE_DIGITS) };
}

/** Whether a text has the form and the checksum of a key, so that typing errors never reach the database. */
export function isApiKey(text: string): boolean {
  const match = FORM.exec(text);
  return match !== null && checksum(match[1]!) === match[2];
}

export function hashApiKey(key: string, hashSecret: string): Buffer {
  return createHmac('sha256', hashSecret).update(key).digest();
}
